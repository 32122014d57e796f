/* SPDX-License-Identifier: GPL-3.0-or-later */
/* closing.c's library: its destructor calls the program. */
void at_close(void);

__attribute__((destructor)) static void end(void)
{
	at_close();
}
