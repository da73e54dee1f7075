"""Turn a directory of code into symbols and summaries (and, with an index, into hits).

Knows code and nothing of agents: no MCP, no LLM tokens, no configuration, no printing.
"""
