/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYMVER(function, name, version): `function` is exported as name under a version that is not the
 * default one: references that were linked with that version find it, dlsym does not.
 */
#ifndef XALLOC_SYMVER_H
#define XALLOC_SYMVER_H

#define SYMVER_STRING(x) #x
#define SYMVER(function, name, version) \
	__asm__(".symver " #function "," #name "@" SYMVER_STRING(version) ", remove")

#endif
