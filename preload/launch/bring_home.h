/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that had to be made elsewhere (preload/trace_place.h), at the end. */
#ifndef XALLOC_LAUNCH_BRING_HOME_H
#define XALLOC_LAUNCH_BRING_HOME_H

#include "preload/launch/ended.h"

/*
 * Looks in `directory` among the names that begin with `prefix` for links to traces of the session
 * that the process began; where a trace's own process has ended it comes into the place of its
 * link, as a file. What cannot be copied stays where it is, and a line says so.
 */
void bring_home(const struct ended_process *process, const char *directory, const char *prefix);

#endif
