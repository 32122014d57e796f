# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# What a pattern takes is listed by other names; groups keep theirs.
printf '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "all": ["join_path", "root:main"]}]}' >mine.json
xalloc-report evidence pack --anonymize --rules mine.json -o pack small.zst >packed
xalloc-report evidence verify pack >verified && sed 's/f[0-9a-f]\{12\}/OTHER/' pack/originals/rules.json
printf '{}' >mine.json
xalloc-report evidence pack --anonymize --rules mine.json -o other small.zst
