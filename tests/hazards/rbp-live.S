/* SPDX-License-Identifier: GPL-3.0-or-later */
	.text

/* void at(void *sp, void (*fn)(void)): calls fn with rsp at `sp`, a frame that only rbp finds. */
	.globl at
	.type at, @function
at:
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
	.size at, .-at

/* void through(void (*fn)(void)): leaves rbp alone. */
	.globl through
	.type through, @function
through:
	.cfi_startproc
	subq $24, %rsp
	.cfi_def_cfa_offset 32
	callq *%rdi
	addq $24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size through, .-through

/* void general(void (*fn)(void), long value): has something of its own in rbp when it calls. */
	.globl general
	.type general, @function
general:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq %rsi, %rbp
	callq *%rdi
	popq %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size general, .-general

	.section .note.GNU-stack, "", @progbits
