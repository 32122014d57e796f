/* SPDX-License-Identifier: GPL-3.0-or-later */
int use(void);

int main(void)
{
	return use();
}
