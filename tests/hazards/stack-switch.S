/* SPDX-License-Identifier: GPL-3.0-or-later */
	.text

/* void call_on(void *top, void (*fn)(void)): calls fn on another stack; rbp finds the way back. */
	.globl call_on
	.type call_on, @function
call_on:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	movq %rdi, %rsp
	callq *%rsi
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size call_on, .-call_on

	.section .note.GNU-stack, "", @progbits
