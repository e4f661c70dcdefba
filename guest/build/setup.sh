#!/bin/sh
# Brings what the guests are built with: a Rust that compiles for
# wasm32-unknown-unknown, and a clang that does. Does nothing where all is
# there. Asks before it uses a package manager, unless it runs as root or in CI.
set -eu

target=wasm32-unknown-unknown
here=$(cd "$(dirname "$0")/../.." && pwd)

say() { printf '%s\n' "setup: $*" >&2; }
fail() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# The C compiler for the host: crates with C in them need one.
native_cc() { have cc || have gcc || have clang; }

rust_knows_target() {
    have rustc && [ -d "$(cd "$here" && rustc --print sysroot)/lib/rustlib/$target/lib" ]
}

debian_rust() {
    [ -x /usr/bin/cargo ] && [ -x /usr/bin/rustc ] &&
        [ -d "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/std" ]
}

wasm_clang() {
    for clang in ${CC_wasm32_unknown_unknown:-} clang clang-22 clang-21 clang-20 clang-19 clang-18 \
        clang-17 clang-16 clang-15 clang-14; do
        if have "$clang" && "$clang" --target=$target -fsyntax-only -x c /dev/null 2>/dev/null; then
            return 0
        fi
    done
    return 1
}

wasm_ar() {
    for ar in ${AR_wasm32_unknown_unknown:-} llvm-ar llvm-ar-22 llvm-ar-21 llvm-ar-20 llvm-ar-19 \
        llvm-ar-18 llvm-ar-17 llvm-ar-16 llvm-ar-15 llvm-ar-14; do
        have "$ar" && return 0
    done
    return 1
}

# install APT DNF BREW: names of packages, with the package manager at hand.
install() {
    if have apt-get; then
        command="apt-get install -y --no-install-recommends $1"
    elif have dnf; then
        command="dnf install -y $2"
    elif have brew; then
        command="brew install $3"
    else
        fail "no package manager that this script knows; install: $1"
    fi
    sudo=
    if [ "${command%% *}" != brew ] && [ "$(id -u)" -ne 0 ]; then
        sudo=sudo
    fi
    if [ "$(id -u)" -ne 0 ] && [ "${CI:-}" != true ]; then
        [ -t 0 ] || fail "run this, then try again: $sudo $command"
        printf 'setup: run `%s`? [y/N] ' "$sudo $command" >&2
        read -r answer
        [ "$answer" = y ] || fail "not installed; the line to run is: $sudo $command"
    fi
    # Lists may be old or missing; where that fails the install says so.
    if have apt-get; then $sudo apt-get update || true; fi
    # Word splitting is wanted: the command is made above.
    # shellcheck disable=SC2086
    $sudo $command
}

newest() { apt-cache pkgnames "$1-" 2>/dev/null | grep -E "^$1-[0-9]+\$" | sort -t- -k2 -n | tail -n 1; }

have cargo || [ -x /usr/bin/cargo ] || say "no cargo yet: https://rustup.rs, or your system's packages"

native_cc || install "gcc libc6-dev" gcc gcc

if ! rust_knows_target && have rustup; then
    say "adding the Rust target $target"
    (cd "$here" && rustup target add "$target") || say "rustup cannot fetch it; trying Debian's packages"
fi
if ! rust_knows_target && ! debian_rust; then
    if have apt-get; then
        install "rustc-web cargo-web rust-web-src rust-web-llvm" "" ""
    elif have dnf; then
        install "" rust-std-static-wasm32-unknown-unknown ""
    fi
    rust_knows_target || debian_rust || fail "no Rust for $target; run: rustup target add $target"
fi

if ! wasm_clang || ! wasm_ar; then
    clang=clang
    # Debian's rust links with a linker of its own generation.
    if ! rust_knows_target && have apt-get; then
        version=$(newest clang | tr -dc 0-9)
        [ -z "$version" ] || clang="clang-$version lld-$version"
    fi
    install "$clang llvm" "clang llvm" llvm
    wasm_clang || fail "the clang that was installed does not know $target; install LLVM's own"
    wasm_ar || fail "llvm-ar is still missing; install the package llvm"
fi

say "ready"
