/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts kept once each, under dense numbers from 0: equal texts have the same number.
 */
#ifndef XALLOC_BASE_NAME_POOL_H
#define XALLOC_BASE_NAME_POOL_H

#include <stdint.h>

struct name_pool;

struct name_pool *name_pool_new(void);
void name_pool_free(struct name_pool *pool); /* NULL is fine */

/* The number of a text, which is copied when it is new. */
uint32_t name_pool_add(struct name_pool *pool, const char *text);
/* The text of a number; lives as long as the pool. */
const char *name_pool_text(const struct name_pool *pool, uint32_t name);
uint32_t name_pool_count(const struct name_pool *pool);

#endif
