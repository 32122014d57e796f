# SPDX-License-Identifier: GPL-3.0-or-later
for command in attach detach; do
	xalloc $command --help
	xalloc help $command
done
