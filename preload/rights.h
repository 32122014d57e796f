/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program gives up that recording needs, and what is done about it beforehand. errno is left
 * as it is.
 */
#ifndef XALLOC_RIGHTS_H
#define XALLOC_RIGHTS_H

/*
 * The program is about to lose the right to make the trace larger, or may be: XALLOC_RESERVE bytes
 * of it are made room for now. A fork child that has no trace yet gets one, while it may.
 */
void rights_reserve(void);

/* The same where a new trace would say nothing: what follows is most often an exec. */
void rights_reserve_if_begun(void);

#endif
