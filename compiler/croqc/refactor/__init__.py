"""Rewrites of the text of a function that keep its model: migration between dialects, buffering, orders, stages."""
