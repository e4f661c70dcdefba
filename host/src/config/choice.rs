//! The closed sets of words that the configuration knows, one enum each.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// An enum whose cases are words of the configuration: read from them, shown as
/// them, and an unknown word is an error that lists them.
macro_rules! choice {
    (
        $(#[$outer:meta])*
        pub enum $name:ident {
            $( $(#[$inner:meta])* $case:ident = $word:literal, )+
        }
    ) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( $(#[$inner])* $case, )+
        }

        impl $name {
            /// Every case, in the order of the declaration.
            pub const ALL: &'static [Self] = &[$( Self::$case ),+];

            /// The word of the configuration.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $( Self::$case => $word, )+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Words {
                    all: Self::ALL,
                    word: Self::word,
                })
            }
        }
    };
}

/// Reads one of some words. As a visitor, so that an error knows its place also
/// within a list.
struct Words<T: 'static> {
    all: &'static [T],
    word: fn(T) -> &'static str,
}

impl<T: Copy> Words<T> {
    fn list(&self) -> String {
        let quoted = self
            .all
            .iter()
            .map(|&case| format!("`{}`", (self.word)(case)));
        quoted.collect::<Vec<_>>().join(", ")
    }
}

impl<T: Copy> Visitor<'_> for Words<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.list())
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        let found = self.all.iter().find(|&&case| (self.word)(case) == word);
        found.copied().ok_or_else(|| {
            let word = word.escape_debug();
            E::custom(format_args!("`{word}` is none of {}", self.list()))
        })
    }
}

choice! {
    /// When a person is asked. A later case is stricter.
    pub enum Mode {
        /// What stays inside an enforcing sandbox is not asked about.
        OnRequest = "on-request",
        /// Whatever is not known safe is asked about.
        UnlessTrusted = "unless-trusted",
        /// Nobody is asked: what would be asked about is denied.
        Never = "never",
    }
}

choice! {
    /// What a command may reach. A later case is stricter.
    pub enum SandboxMode {
        /// Whatever the user may reach: no sandbox.
        FullAccess = "full-access",
        /// Writes stay in the workspace.
        WorkspaceWrite = "workspace-write",
        /// Nothing is written.
        ReadOnly = "read-only",
    }
}

choice! {
    /// What holds the sandbox.
    pub enum Backend {
        /// The host's own namespaces and filters.
        Native = "native",
        /// The `bwrap` program.
        Bubblewrap = "bubblewrap",
        /// The kernel's Landlock alone.
        Landlock = "landlock",
    }
}

choice! {
    /// Whether a command may run that cannot be recorded.
    pub enum Audit {
        /// No record, no run.
        Required = "required",
        /// A missing record is told, and the command runs.
        BestEffort = "best-effort",
        /// Nothing is recorded.
        Off = "off",
    }
}

choice! {
    /// Which part of an output that is too long is kept.
    pub enum Keep {
        /// The first fifth and the last four.
        Both = "both",
        /// The beginning.
        Head = "head",
        /// The end.
        Tail = "tail",
    }
}

choice! {
    /// How the two output streams are read.
    pub enum Streams {
        /// Through one pipe, in the order of writing.
        Merged = "merged",
        /// Each by itself.
        Separate = "separate",
    }
}

choice! {
    /// How much of the login shell is taken over.
    pub enum Snapshot {
        /// Nothing.
        Off = "off",
        /// Its variables.
        Environment = "environment",
        /// Its variables, functions, aliases and options.
        Full = "full",
    }
}

choice! {
    /// What the Escape key does while a command owns the screen.
    pub enum EscKey {
        /// Ends the command.
        Kill = "kill",
        /// Goes to the command.
        Pass = "pass",
    }
}

choice! {
    /// The places of the built-in guests, by their names under `[guests]`.
    pub enum Slot {
        /// Makes the plan of a script.
        Analyzer = "analyzer",
        /// Points to better tools.
        Interceptor = "interceptor",
        /// Vouches for commands.
        Approval = "approval",
        /// What the model sees of the tool.
        Tool = "tool",
    }
}
