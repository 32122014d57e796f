/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forbids itself process_vm_readv, as sandboxes do, and allocates on a growing stack. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static __attribute__((noinline)) long descend(int n)
{
	volatile char here[512];
	void *block = malloc(32);

	here[0] = (char)n;
	__asm__ volatile("" ::"r"(block) : "memory");
	free(block);
	return n ? descend(n - 1) + here[0] : 0;
}

int main(void)
{
	struct sock_filter step[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 4, step };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &filter))
		return 2;
	return descend(200) == -1;
}
