/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program to record: found as execvp finds it, and looked at before it is started. A program
 * that the library cannot be preloaded into would run unrecorded, and nobody would be told.
 */
#ifndef XALLOC_LAUNCH_TARGET_H
#define XALLOC_LAUNCH_TARGET_H

struct target {
	char *path;     /* for execve */
	char **argv;    /* the caller's */
	char **sh_argv; /* what execvp would run where execve gives ENOEXEC: a script without #! */
};

/* Finds argv[0], or ends: EXIT_NOT_FOUND, EXIT_NOT_EXECUTABLE. Nothing is ever released. */
void target_find(struct target *target, char **argv);

/* Ends with EXIT_REFUSED when the program, or the interpreter of the script that it is, is static,
 * setuid, of another architecture, or of a libc that the library does not work with. */
void target_check(const struct target *target);

/* The ELF file that the kernel starts: the program, or the interpreter of the script that it is, or
 * of that. NULL: it cannot be told. The text is never released. */
char *target_elf(const struct target *target);

/* NULL, or "is setuid", ...: why the kernel gives the program rights that its caller has not. */
const char *target_privileges(const char *path);

/* Ends with what execvp would mean by that errno: EXIT_NOT_FOUND or EXIT_NOT_EXECUTABLE. */
__attribute__((noreturn)) void target_cannot_execute(int error, const char *what);

#endif
