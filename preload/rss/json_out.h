/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as it is written, a member a line. key is NULL in a list. */
#ifndef XALLOC_RSS_JSON_OUT_H
#define XALLOC_RSS_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
	FILE *to;
	unsigned depth;
	bool has_member; /* the object or list that is open has one already */
};

void json_open(struct json_out *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json_out *j, char bracket);                 /* '}' or ']' */

void json_number(struct json_out *j, const char *key, uint64_t value);
void json_time(struct json_out *j, const char *key, int64_t value);

/* U+FFFD for each byte that is no UTF-8. */
void json_text(struct json_out *j, const char *key, const char *value);

/* part of whole, with four decimals; 0 of 0 is 0. */
void json_share(struct json_out *j, const char *key, uint64_t part, uint64_t whole);

#endif
