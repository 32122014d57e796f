#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
use strict;
use warnings;

my (%count, @words);
for my $i (1 .. 150000) {
	my $word = sprintf("word%d", $i * 7919 % 40000);
	$count{$word}++;
	push @words, join("-", reverse split(//, $word)) if $i % 3 == 0;
}
my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my $text = join(" ", map { "$_=$count{$_}" } @sorted);
$text =~ s/(\d)(\d)/$2$1/g;
my @trees = map { { name => $_, below => [split(/-/, $_)] } } @words;
print scalar(@trees), " ", length($text), "\n";
