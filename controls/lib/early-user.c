/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refers to a function of libearly.so by its address: it is bound when this library is relocated.
 */
int early_picked(void);
int early_use(void);

static int (*const volatile picked)(void) = early_picked;

int early_use(void)
{
	return picked();
}
