/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library that a plugin needs: its references are looked for in the plugin first. */
extern "C" void helped()
{
	int *volatile p = new int(2);

	delete p;
}
