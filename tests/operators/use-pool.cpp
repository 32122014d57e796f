/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <new>

int main()
{
	for (int i = 0; i < 10; i++)
		::operator delete(::operator new(100));
	return 0;
}
