/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of the session ask for helpers (preload/store/helper.h), and get them: each is a
 * process of its own, so that one that fails, or waits for a slow disk, disturbs no other. Without
 * a broker, or after its end, processes are recorded all the same.
 */
#ifndef XALLOC_LAUNCH_BROKER_H
#define XALLOC_LAUNCH_BROKER_H

#include <sys/types.h>

/* Descriptors that are the broker's, from before the program's start on. */
#define BROKER_FIRST 233
#define BROKER_LAST 234

/* Before the program's start. It does not inherit anything of it. */
void broker_open(void);

/*
 * After it. From then on SIGIO, which must be blocked, says that broker_serve has something to do.
 * Without a broker its descriptors are closed, whosever they are. SIGCHLD of helpers comes to who
 * waits for children.
 */
void broker_start(void);
void broker_serve(void);

/* The process has ended: returns when its helpers have, too, or some seconds later. */
void broker_finish(pid_t pid);

#endif
