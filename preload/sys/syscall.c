/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/sys/syscall.h"

#include "preload/sys/signals.h"

uint64_t sys_denied[SYS_NUMBERS / 64];
_Atomic int signals_blocked;
