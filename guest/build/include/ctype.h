/* What tree-sitter-bash's scanner uses without including a header for it. */
#ifndef BASHGATE_CTYPE_H
#define BASHGATE_CTYPE_H
static inline int isdigit(int c) { return c >= '0' && c <= '9'; }
#endif
