/* SPDX-License-Identifier: Apache-2.0 */
/* A helper: commits the full slots of one recorded process into its trace. */
#ifndef XALLOC_LAUNCH_HELPER_MAIN_H
#define XALLOC_LAUNCH_HELPER_MAIN_H

#include "preload/store/helper.h"

/*
 * In a process of its own, with one thread and the system's signals blocked; returns when the
 * recorded process has ended, or wants it no more, or the request is none that can be served. Calls
 * nothing of libc that allocates.
 */
void helper_main(const struct helper_request *request);

#endif
