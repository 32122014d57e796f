/* SPDX-License-Identifier: GPL-3.0-or-later */
	.text

/* void bare(void (*fn)(void)): has no unwind information. rbp is a frame pointer, which nobody is
 * to follow. */
	.globl bare
	.type bare, @function
bare:
	pushq %rbp
	movq %rsp, %rbp
	callq *%rdi
	popq %rbp
	ret
	.size bare, .-bare

	.section .note.GNU-stack, "", @progbits
