/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program gives up that recording needs, and what is done about it beforehand. errno is left
 * as it is.
 */
#ifndef XALLOC_RIGHTS_H
#define XALLOC_RIGHTS_H

#include <stdint.h>

#include "preload/sys/syscall.h"

/*
 * The program is about to lose the right to make the trace larger, or may be: XALLOC_RESERVE bytes
 * of it are made room for now. A fork child that has no trace yet gets one, while it may.
 */
void rights_reserve(void);

/* The same where a new trace would say nothing: what follows is most often an exec. */
void rights_reserve_if_begun(void);

/* Memory is, or is about to be, limited: what some threads that come need is mapped now. */
void rights_reserve_memory(void);

/* A trace has begun: the same where there is a limit already. */
void rights_begun(void);

/* What a call that may fail has changed. */
struct rights_before {
	uint64_t added[SYS_NUMBERS / 64]; /* denied since */
	int is_changed, was_sealed;
	int is_alone;  /* no other thread changed something meanwhile */
	uint32_t turn; /* the number of the change */
};

/*
 * A seccomp filter (a struct sock_fprog), or, NULL, strict mode, comes into force. From here on no
 * system call of ours is made that it does not let through; where recording needs one of them it
 * goes on without any (seal.h). One thread's filter counts for all. After the call rights_kept says
 * whether it failed.
 */
void rights_filter(struct rights_before *before, const void *program);
void rights_kept(const struct rights_before *before);

/* The same where system calls become signals (PR_SET_SYSCALL_USER_DISPATCH): ours would, too, and
 * whenever the program likes. */
void rights_dispatch(struct rights_before *before);

/* May a new trace be begun, by a child or by what is executed, under the filters that are known? */
int rights_may_begin(void);

/* The TSC may be read no more: stamps are a counter's from here on. */
void rights_leave_clock(void);

#endif
