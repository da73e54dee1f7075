"""Know the vocabulary of questions."""

from collections import Counter
from importlib.resources import files

import pytest

from indexer.lexicon import (
    ABBREVIATIONS,
    CHINESE_STOP_WORDS,
    CODE_GLOSSARY,
    GLOSSARY,
    SOFT_WORDS,
    STOP_WORDS,
    SYNONYMS,
    english_of,
)


@pytest.mark.parametrize(
    ("chinese", "english"),
    [
        ("登录", "login"),
        ("缓存", "cache"),
        ("限流", "rate limit"),
        ("鉴权", "authentication"),
        ("认证", "authentication"),
        ("令牌", "token"),
        ("刷新", "refresh"),
        ("分页", "pagination"),
        ("重试", "retry"),
        ("超时", "timeout"),
        ("事务", "transaction"),
        ("中间件", "middleware"),
        ("路由", "route"),
        ("序列化", "serialize"),
        ("解析", "parse"),
        ("校验", "validate"),
        ("线程池", "thread pool"),
        ("依赖注入", "dependency injection"),
        ("二进制", "binary"),
        ("速率", "rate"),
        ("前缀树", "trie"),
        ("剪贴板", "clipboard"),
    ],
)
def test_glossary_knows_the_words_of_the_trade(chinese, english):
    assert GLOSSARY[chinese][0] == english


def test_the_longest_word_wins():
    found = dict(english_of("用户登录后如何刷新令牌，反序列化和线程池在哪里？"))
    assert list(found) == ["用户", "登录", "刷新令牌", "反序列化", "线程池"]
    assert found["刷新令牌"] == ("refresh token",)
    assert english_of("where is the login") == []


def test_glossary_is_well_formed():
    assert len(GLOSSARY) >= 600
    for chinese, english in GLOSSARY.items():
        assert english, chinese
        assert not chinese.isascii()
        for term in english:
            assert term.isascii(), chinese
            assert term == term.lower().strip() != "", chinese


def test_words_of_the_world_are_translated_but_are_none_of_programming():
    for word in ("生日", "音量", "城市"):
        assert word in GLOSSARY
        assert word not in CODE_GLOSSARY
    assert all(GLOSSARY[word] == english for word, english in CODE_GLOSSARY.items())


def test_no_chinese_word_is_explained_twice():
    folder = files("indexer").joinpath("data")
    lines = [
        line
        for name in ("glossary.txt", "glossary_wide.txt")
        for line in folder.joinpath(name).read_text(encoding="utf-8").split("\n")
        if line and not line.startswith("#")
    ]
    words = Counter(word for line in lines for word in line.partition(":")[0].split())
    assert [word for word, times in words.items() if times > 1] == []


def test_no_word_is_of_two_minds():
    assert not set(GLOSSARY) & CHINESE_STOP_WORDS
    assert not STOP_WORDS & SOFT_WORDS
    shorts = [group[0] for group in ABBREVIATIONS]
    assert len(shorts) == len(set(shorts))


def test_groups_have_several_words_each_once():
    for group in (*ABBREVIATIONS, *SYNONYMS):
        assert len(group) > 1, group
        assert len(set(group)) == len(group), group
        assert all(word.isalnum() and word == word.lower() for word in group), group


@pytest.mark.parametrize(
    ("short", "long"), [("db", "database"), ("cfg", "config"), ("ctx", "context"), ("req", "request")]
)
def test_short_forms_are_known(short, long):
    assert long in next(group for group in ABBREVIATIONS if group[0] == short)


def test_names_are_no_stop_words():
    assert not STOP_WORDS & {"find", "get", "set", "run", "delete", "user", "file", "class", "function", "handler"}
