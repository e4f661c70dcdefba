//! A guest's memory after `configure`, made into a component that starts
//! there.
//!
//! Knows no world: `configure` has the same shape in each.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::component::{
    Component, ComponentNamedList, Instance, Lift, Linker, Lower, TypedFunc, WasmList,
};
use wasmtime::{Engine, Store};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

use super::limits::Limits;
use super::source::WorldKind;
use super::sync::{State, store};

/// The version of the interfaces that this host looks up; others of the same
/// track fit it too.
const VERSION: &str = "0.1.0";

/// Makes the snapshot of `bytes` configured with `config`.
///
/// # Errors
///
/// When the component cannot be instrumented, or `configure` fails.
pub(crate) fn take(
    engine: &Engine,
    world: WorldKind,
    bytes: &[u8],
    config: &str,
    limits: Limits,
) -> wasmtime::Result<Vec<u8>> {
    let wizer = Wizer::new();
    let (context, instrumented) = wizer.instrument_component(bytes)?;
    let component = Component::from_binary(engine, &instrumented)?;
    let mut linker = Linker::new(engine);
    linker.define_unknown_imports_as_traps(&component)?;
    let mut store = store(engine, limits);
    // The memory is read out through answers.
    store.set_hostcall_fuel(limits.memory);
    let instance = linker.instantiate(&mut store, &component)?;
    configure(&mut store, &instance, world, config)?;
    let mut state = Configured {
        store: &mut store,
        instance,
        failed: None,
    };
    let snapshot = at_once(wizer.snapshot_component(&context, &mut state));
    match (state.failed, snapshot) {
        (Some(error), _) => Err(error),
        (None, Some(snapshot)) => snapshot,
        (None, None) => Err(wasmtime::Error::msg("the snapshot waits for something")),
    }
}

fn configure(
    store: &mut Store<State>,
    instance: &Instance,
    world: WorldKind,
    config: &str,
) -> wasmtime::Result<()> {
    let name = format!("{}@{VERSION}", world.export());
    let function = function::<(&str,), (Result<(), String>,)>(store, instance, &name, "configure")?;
    let (answer,) = function.call(&mut *store, (config,))?;
    answer.map_err(wasmtime::Error::msg)
}

fn function<Params, Answer>(
    store: &mut Store<State>,
    instance: &Instance,
    interface: &str,
    name: &str,
) -> wasmtime::Result<TypedFunc<Params, Answer>>
where
    Params: ComponentNamedList + Lower,
    Answer: ComponentNamedList + Lift,
{
    let missing = || wasmtime::Error::msg(format!("no function {name} in {interface}"));
    let (_, outer) = instance
        .get_export(&mut *store, None, interface)
        .ok_or_else(missing)?;
    let (_, inner) = instance
        .get_export(&mut *store, Some(&outer), name)
        .ok_or_else(missing)?;
    instance.get_typed_func(&mut *store, inner)
}

/// Reads out a configured instance. A failure is kept: the trait has no room
/// for one.
struct Configured<'a> {
    store: &'a mut Store<State>,
    instance: Instance,
    failed: Option<wasmtime::Error>,
}

impl Configured<'_> {
    fn get<R: Lift + 'static>(&mut self, interface: &str, name: &str) -> Option<R> {
        let answer = function::<(), (R,)>(self.store, &self.instance, interface, name)
            .and_then(|function| function.call(&mut *self.store, ()));
        match answer {
            Ok((answer,)) => Some(answer),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }
}

impl ComponentInstanceState for Configured<'_> {
    async fn call_func_ret_list_u8(
        &mut self,
        instance: &str,
        func: &str,
        contents: impl FnOnce(&[u8]) + Send,
    ) {
        match self.get::<WasmList<u8>>(instance, func) {
            Some(list) => contents(list.as_le_slice(&*self.store)),
            None => contents(&[]),
        }
    }

    async fn call_func_ret_s32(&mut self, instance: &str, func: &str) -> i32 {
        self.get(instance, func).unwrap_or_default()
    }

    async fn call_func_ret_s64(&mut self, instance: &str, func: &str) -> i64 {
        self.get(instance, func).unwrap_or_default()
    }

    async fn call_func_ret_f32(&mut self, instance: &str, func: &str) -> u32 {
        self.get::<f32>(instance, func)
            .unwrap_or_default()
            .to_bits()
    }

    async fn call_func_ret_f64(&mut self, instance: &str, func: &str) -> u64 {
        self.get::<f64>(instance, func)
            .unwrap_or_default()
            .to_bits()
    }
}

/// Runs a future whose steps all finish at once, as those above do.
fn at_once<R>(future: impl Future<Output = R>) -> Option<R> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => None,
    }
}
