//! The productions of the generator, by name, and how often each was used.

macro_rules! productions {
    ($($name:ident = $text:literal,)*) => {
        /// A construct of the grammar that the generator can write.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs)]
        pub enum Production { $($name,)* }

        impl Production {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As in reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

productions! {
    // Words and quoting.
    QuoteSingle = "quote-single",
    QuoteDouble = "quote-double",
    QuoteBackslash = "quote-backslash",
    QuoteAnsiC = "quote-ansi-c",
    QuoteLocale = "quote-locale",
    QuoteMixed = "quote-mixed",
    QuoteEmpty = "quote-empty",
    QuoteMultiline = "quote-over-lines",
    QuotedCode = "quoted-code",
    ContinuationInWord = "continuation-in-word",
    ContinuationBetween = "continuation-between-words",
    NonAsciiWord = "non-ascii-word",
    NonAsciiProgram = "non-ascii-program",
    OddBlanks = "odd-blanks",
    OddCharacter = "odd-character",
    KeywordAsWord = "keyword-as-word",
    Tilde = "tilde",
    Glob = "glob",
    GlobBracket = "glob-bracket",
    ExtendedGlob = "extended-glob",
    BraceList = "brace-list",
    BraceRange = "brace-range",
    BraceNested = "brace-nested",
    BraceProgram = "brace-program",
    // Simple commands.
    Program = "program",
    ProgramByPath = "program-by-path",
    ExternalCat = "external-cat",
    AbsolutePath = "program-by-variable-path",
    BuiltinEcho = "builtin-echo",
    BuiltinPrintf = "builtin-printf",
    BuiltinTest = "builtin-test",
    BuiltinBracket = "builtin-bracket",
    BuiltinColon = "builtin-colon",
    BuiltinRead = "builtin-read",
    BuiltinDeclare = "builtin-declare",
    BuiltinExport = "builtin-export",
    BuiltinLocal = "builtin-local",
    BuiltinLet = "builtin-let",
    BuiltinSet = "builtin-set",
    BuiltinUnset = "builtin-unset",
    BuiltinCd = "builtin-cd",
    BuiltinMapfile = "builtin-mapfile",
    BuiltinType = "builtin-type",
    Assignment = "assignment",
    AssignmentAppend = "assignment-append",
    AssignmentPrefix = "assignment-prefix",
    AssignmentArray = "assignment-array",
    AssignmentSubscript = "assignment-subscript",
    AssignmentMap = "assignment-map",
    LiteralVariableProgram = "literal-variable-program",
    // Lists.
    Pipe = "pipe",
    PipeBoth = "pipe-both",
    AndThen = "and-then",
    OrElse = "or-else",
    Semicolon = "semicolon",
    Newline = "newline",
    Background = "background",
    Negation = "negation",
    Time = "time",
    TimePosix = "time-posix",
    OperatorThenNewline = "operator-then-newline",
    Comment = "comment",
    CommentLine = "comment-line",
    CarriageReturns = "carriage-returns",
    // Compound commands.
    Group = "group",
    Subshell = "subshell",
    If = "if",
    Elif = "elif",
    Else = "else",
    While = "while",
    Until = "until",
    WhileRead = "while-read",
    ForIn = "for-in",
    ForPositional = "for-positional",
    ForBraces = "for-braces",
    ForArithmetic = "for-arithmetic",
    ForArithmeticBraces = "for-arithmetic-braces",
    Case = "case",
    CaseParenthesis = "case-parenthesis",
    CaseFallThrough = "case-fall-through",
    CaseTestNext = "case-test-next",
    CaseOpenEnd = "case-open-end",
    CasePatternSubstitution = "case-pattern-substitution",
    Select = "select",
    FunctionParentheses = "function-parentheses",
    FunctionKeyword = "function-keyword",
    FunctionKeywordParentheses = "function-keyword-parentheses",
    FunctionSubshell = "function-subshell",
    FunctionCompound = "function-compound",
    FunctionRedirect = "function-redirect",
    FunctionCall = "function-call",
    DoubleBracket = "double-bracket",
    DoubleBracketLogic = "double-bracket-logic",
    DoubleBracketPattern = "double-bracket-pattern",
    DoubleBracketRegex = "double-bracket-regex",
    DoubleBracketArithmetic = "double-bracket-arithmetic",
    DoubleParenthesis = "double-parenthesis",
    DoubleParenthesisCommand = "double-parenthesis-command",
    CompoundRedirect = "compound-redirect",
    CompoundHereDocument = "compound-here-document",
    Coprocess = "coprocess",
    CoprocessNamed = "coprocess-named",
    LoopControl = "loop-control",
    // Expansions.
    Parameter = "parameter",
    ParameterSpecial = "parameter-special",
    ParameterDefault = "parameter-default",
    ParameterAssign = "parameter-assign",
    ParameterAlternate = "parameter-alternate",
    ParameterError = "parameter-error",
    ParameterLength = "parameter-length",
    ParameterPrefix = "parameter-prefix",
    ParameterSuffix = "parameter-suffix",
    ParameterReplace = "parameter-replace",
    ParameterCase = "parameter-case",
    ParameterTransform = "parameter-transform",
    ParameterNames = "parameter-names",
    ParameterKeys = "parameter-keys",
    ParameterSubstring = "parameter-substring",
    ParameterSubscript = "parameter-subscript",
    ParameterQuotedOperand = "parameter-quoted-operand",
    CommandSubstitution = "command-substitution",
    CommandSubstitutionParenthesis = "command-substitution-parenthesis",
    CommandSubstitutionCase = "command-substitution-case",
    CommandSubstitutionComment = "command-substitution-comment",
    Backticks = "backticks",
    BackticksNested = "backticks-nested",
    FileSubstitution = "file-substitution",
    Arithmetic = "arithmetic",
    ArithmeticSubstitution = "arithmetic-substitution",
    ArithmeticBrackets = "arithmetic-brackets",
    ArithmeticShift = "arithmetic-shift",
    ProcessIn = "process-substitution-in",
    ProcessOut = "process-substitution-out",
    // Redirects.
    RedirectOut = "redirect-out",
    RedirectAppend = "redirect-append",
    RedirectClobber = "redirect-clobber",
    RedirectIn = "redirect-in",
    RedirectInOut = "redirect-in-out",
    RedirectBoth = "redirect-both",
    RedirectBothOld = "redirect-both-old",
    RedirectBothAppend = "redirect-both-append",
    RedirectDuplicate = "redirect-duplicate",
    RedirectClose = "redirect-close",
    RedirectMove = "redirect-move",
    RedirectNamed = "redirect-named",
    RedirectBefore = "redirect-before",
    RedirectBetween = "redirect-between",
    RedirectAfter = "redirect-after",
    RedirectOnly = "redirect-only",
    HereDocument = "here-document",
    HereDocumentQuoted = "here-document-quoted",
    HereDocumentTabs = "here-document-tabs",
    HereDocumentSeveral = "here-document-several",
    HereDocumentExpansion = "here-document-expansion",
    HereDocumentOddDelimiter = "here-document-odd-delimiter",
    HereDocumentThenSemicolon = "here-document-then-semicolon",
    HereDocumentThenLogic = "here-document-then-logic",
    HereDocumentThenPipe = "here-document-then-pipe",
    HereDocumentThenBackground = "here-document-then-background",
    HereDocumentThenWords = "here-document-then-words",
    HereDocumentNested = "here-document-nested",
    HereString = "here-string",
    HereStringSubstitution = "here-string-substitution",
    // Scripts within scripts.
    EvalLiteral = "eval-literal",
    EvalWords = "eval-words",
    TrapExit = "trap-exit",
    TrapDebug = "trap-debug",
    SourceFile = "source-file",
    SourceSubstitution = "source-substitution",
    BashText = "bash-text",
    ShText = "sh-text",
    BashFile = "bash-file",
    BashHereDocument = "bash-here-document",
    BashHereString = "bash-here-string",
    PipeToShell = "pipe-to-shell",
    // Wrappers.
    WrapEnv = "wrap-env",
    WrapEnvSplit = "wrap-env-split",
    WrapNice = "wrap-nice",
    WrapTimeout = "wrap-timeout",
    WrapNohup = "wrap-nohup",
    WrapStdbuf = "wrap-stdbuf",
    WrapSetsid = "wrap-setsid",
    WrapFlock = "wrap-flock",
    WrapXargs = "wrap-xargs",
    WrapXargsReplace = "wrap-xargs-replace",
    WrapXargsShell = "wrap-xargs-shell",
    WrapCommand = "wrap-command",
    WrapExec = "wrap-exec",
    ExecRedirect = "exec-redirect",
    WrapBuiltin = "wrap-builtin",
    WrapStacked = "wrap-stacked",
    FindExec = "find-exec",
    FindExecPlus = "find-exec-plus",
    FindExecShell = "find-exec-shell",
    // What only running tells, and what bash evaluates twice.
    DynamicProgram = "dynamic-program",
    DynamicTarget = "dynamic-target",
    EvalDynamic = "eval-dynamic",
    BashDynamic = "bash-dynamic",
    SourceMade = "source-made",
    SourceChanged = "source-changed",
    BashMade = "bash-made",
    XargsDynamic = "xargs-dynamic",
    PipeToShellDynamic = "pipe-to-shell-dynamic",
    ParameterPrompt = "parameter-prompt",
    ParameterIndirect = "parameter-indirect",
    SubscriptTwice = "subscript-twice",
    ArithmeticTwice = "arithmetic-twice",
    PrintfVariable = "printf-variable",
    ReadSubscript = "read-subscript",
    UnsetSubscript = "unset-subscript",
    TestVariable = "test-variable",
    MapfileCallback = "mapfile-callback",
    DeclareInteger = "declare-integer",
    AliasUse = "alias-use",
    HashPath = "hash-path",
    EnableOff = "enable-off",
    CompgenText = "compgen-text",
    TracePrompt = "trace-prompt",
    StartFile = "start-file",
    HandlerNotFound = "handler-not-found",
    FunctionRedefines = "function-redefines",
    PathChanged = "path-changed",
    HereDocumentOpen = "here-document-open",
    BrokenQuote = "broken-quote",
}

/// How often each production was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts(Vec<u64>);

impl Default for Counts {
    fn default() -> Self {
        Self(vec![0; Production::ALL.len()])
    }
}

impl Counts {
    pub(super) fn used(&mut self, production: Production) {
        self.0[production as usize] += 1;
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }

    /// Each production with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Production, u64)> {
        Production::ALL.iter().copied().zip(self.0.iter().copied())
    }
}
