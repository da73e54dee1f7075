"""Guess the encoding of text that is neither Unicode nor declares what it is.

``guesses(sample)`` gives codec names, best first; the caller takes the first that decodes the whole file.
Comments in source code are too short for letter statistics, so the East Asian and Western encodings are
told apart by which characters a programmer would write; charset-normalizer is asked about the rest.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable

LAST_RESORT = "latin-1"  # decodes anything, one character a byte

# Characters that comments are made of, each list for one script. A decoding that yields them is the right
# one; the same bytes read in a wrong encoding give characters that nobody uses.
_HANS = (
    "的一是不了在人有我他这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学"
    "么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分"
    "注释返值计算数据函文件用户登录模块检查密码正确果存则抛出异常初始化库连接者读取配置并典需加锁临时案改设默认超"
    "删除缓向服务器送请求主关闭测试版权列表按间序排处理错误参明待办优性能字符串转换整线程安全队实更新界显示类型名"
    "称状态调接口结束信息输入功获查询添加修复代标题内容路径目录执成败空重复页码按钮图本语言单双键系统管员订编号张三李四王"
    "支付校验签章循环直至商品价格库存余额税率折扣积评论消息推送任调度线池锁死饿超限流降级熔断监控指警告级别堆栈指针"
    "引擎渲染组件属绑样式颜宽高边距居左右滚拖拽点击双监听触发器模板缩放旋裁剪压码摘散列随机种集群节选举投票日志份恢"
)
_HANT = (
    "的一是不了在人有我他這個上們來到時大地為子中你說生國年著就那和要她出也得裡後自以會家可下而過天去能對小多然於心學"
    "麼之都好看起發當沒成只如事把還用第樣道想作種開美總從無情己面最女但現前些所同日手又行意動方期它頭經長兒回位分"
    "註解傳回值計算兩期間數據函式檔案使用者登入模組檢查密碼正確果存則丟出例外初始化資料庫連線讀取設定並典需鎖暫"
    "案改預逾刪除快取向伺服器送請求主關閉測試版權列表按序排處理錯誤參說明待辦最佳化效能字串轉換整執緒安全佇列實"
    "作更新畫顯示類型名稱狀態調介結束訊息輸入功獲詢添加修複代標題內容路徑目錄成敗空重頁碼按鈕圖本語言單雙鍵系統管員訂編號張"
    "支付校驗簽章迴圈直至商品價格庫存餘額稅率折扣積評論訊推任調度池鎖死限流監控指警告級別堆疊指標產亂碼產品引擎組屬"
    "綁樣式顏寬高邊距居左右捲拖拽點擊觸模板縮放旋裁剪壓摘散隨機種叢集節選舉投票日誌備份復迴避免略過串併合尋找變數"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水"
    "設定値戻引数関算計処理初期化変更追加削除取得接続閉開確認存在場合例外投込必要暫対応既期限切要求送著作権注文"
    "覧説明直文字列整換面更新画表示型状態呼結果情報力機能検索修正項目実行成功失敗空重複語言単管者番号山田使用終了開始読書"
    "禁止併合在庫不足商品価格税割支払通知監視警告階層構造体配索範囲型変換乱生成署証検票投選択画像色幅高左右上下回転圧縮暗復旧"
)
_HANGUL = (
    "이다는을를가에의하고로은지한서사자기정보있도해어인과들적것그수시리라스전일만아나대제부오구장주원여성상경방행"
    "무연유소신조공선모안위치화계분관국동후용야며면까게와석반환값두날짜간산한로그모듈비밀번호맞확데터베결설파읽금필"
    "임본제만캐삭버청메함종료테트저권목록회류매변명중칠문숫정변스레드안큐갱작철김요성객체타입열림닫추처음끝생삭"
    "쪽크쓰빈줄건너뛰누난병합옛브우컴퓨출력삽순환색인배포렬검증빌더꺼켜클릭버튼창글복붙휴폴토큰재귀트노드값빠른느린많적"
)
_PUNCTUATION = "、。，．·：；？！（）《》〈〉【】「」『』“”‘’…—～～＝＋／％　"
_KANA = "".join(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7), 0x30FC)))
_SIGNS = "©®°§«»“”‘’„–—…€£¥·•µ×±²³½¼¾™ªº†¶№\xa0"

_ASIAN = {  # codec -> (characters that prove it, lead bytes of its first level of characters)
    "gb18030": (frozenset(_HANS), (0xB0, 0xD7)),
    "big5": (frozenset(_HANT), (0xA4, 0xC6)),
    "cp932": (frozenset(_KANA + _KANJI), (0x88, 0x97)),
    "euc_jp": (frozenset(_KANA + _KANJI), (0xB0, 0xCF)),
    "cp949": (frozenset(_HANGUL), (0xB0, 0xC8)),
}
_LATIN = {  # codec -> (accented letters that its users write often, the others)
    "cp1252": ("àáâãäåæçèéêëìíîïñòóôõöøùúûüß¿¡ÅÄÖÜÉÓÁÍÀ", "ðýþÿœšžÂÃÆÇÈÊËÌÎÏÑÒÔÕØÙÚÛŒŠŽ"),
    "cp1250": ("ąćęłńóśźżáčďéěíňřšťúůýžöüőűäŁŚŻČŘŠŽ", "âçîëôĺľŕăđţşŃÓÉÁÍÚŮÝÖÜŐŰÄĆĘĄŹĚĎŤŇĹĽŔĂĐŢŞ"),
}
_CYRILLIC = ("оеаинтсрвлкмдпуяыьгзбч", "йхжшюцщэфъё")
_ALPHABETS = {  # codec -> (letters that its users write often, the others)
    "cp1251": _CYRILLIC,
    "koi8_r": _CYRILLIC,
    "cp1253": ("αοιετσνηυρπκμλςόίάήδέγ", "ωώχθύφβξζψϊϋΐΰ"),
}
_OTHERS = ("cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874", "iso8859_2", "iso8859_5", "cp866")

# Worth of a character, and the mean worth from which a reading is believed; set by comments in 13 languages.
_FREQUENT, _KNOWN, _SIGN, _STRANGE = 1.0, 0.55, 0.8, 0.0
_ENOUGH = 0.5
_SURE = 0.5  # coherence, as charset-normalizer measures it, from which its word counts more than ours
_HIGH = re.compile("[^\x00-\x7f]")
_LONELY = re.compile("(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")


def guesses(sample: bytes) -> list[str]:
    """Give the codecs that may have written a sample of lines with non-ASCII bytes, best first."""
    scores = {name: _asian_score(sample, name) for name in _ASIAN}
    scores |= {name: _latin_score(sample, name) for name in _LATIN}
    scores |= {name: _alphabet_score(sample, name) for name in _ALPHABETS}
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)  # stable: the order of the tables breaks ties
    likely = [name for name in ranked if scores[name] >= _ENOUGH]
    if not likely or likely[0] in _ALPHABETS:
        # Scripts that the tables lack (Hebrew, Arabic, Thai) read as letters of those that they have.
        likely = [*_asked(sample), *likely]
    return [*likely, "cp1252", LAST_RESORT]


def _asian_score(sample: bytes, codec: str) -> float:
    proof, (low, high) = _ASIAN[codec]

    def worth(char: str) -> float:
        if char in _PUNCTUATION:
            return _SIGN
        if char in proof:
            return _FREQUENT
        written = char.encode(codec)
        return _KNOWN if len(written) == 2 and low <= written[0] <= high else _STRANGE

    text = _decode(sample, codec) or ""
    counts = Counter(_HIGH.findall(text))
    total = sum(worth(char) * count for char, count in counts.items())
    # One character inside a Latin word is an accent read wrongly.
    total -= sum(worth(found[0]) for found in _LONELY.finditer(text))
    return total / max(1, counts.total())


def _latin_score(sample: bytes, codec: str) -> float:
    """Judge accents: they stand singly among plain letters, and capitals do not follow small letters."""
    often, seldom = _LATIN[codec]

    def worth(before: str, char: str, after: str) -> float:
        near = _is_high_letter(before) + _is_high_letter(after)
        if char in _SIGNS:
            return _STRANGE if near or (before.isalpha() and after.isalpha() and char != "’") else _SIGN
        if near == 2 or (char.isupper() and before.islower()):
            return _STRANGE
        value = _FREQUENT if char in often else _KNOWN if char in seldom else _STRANGE
        return value / 2 if near else value

    return _mean_worth(sample, codec, worth)


def _alphabet_score(sample: bytes, codec: str) -> float:
    """Judge letters of another alphabet: they stand among their own, small ones mostly."""
    often, seldom = _ALPHABETS[codec]

    def worth(before: str, char: str, after: str) -> float:
        if char in _SIGNS:
            return _SIGN
        letter = char.lower()
        if _is_plain_letter(before) or _is_plain_letter(after) or (char.isupper() and before.islower()):
            return _STRANGE
        value = _FREQUENT if letter in often else _KNOWN if letter in seldom else _STRANGE
        return value / 2 if char.isupper() and before.isalpha() else value

    return _mean_worth(sample, codec, worth)


def _mean_worth(sample: bytes, codec: str, worth: Callable[[str, str, str], float]) -> float:
    text = _decode(sample, codec) or ""
    values = [worth(text[m.start() - 1 : m.start()], m[0], text[m.end() : m.end() + 1]) for m in _HIGH.finditer(text)]
    return sum(values) / max(1, len(values))


def _asked(sample: bytes) -> list[str]:
    """Ask charset-normalizer, and take its word where it finds the text coherent."""
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=[*_ALPHABETS, *_LATIN, *_OTHERS], enable_fallback=False)
    return [match.encoding for match in found if match.coherence >= _SURE]


def _decode(sample: bytes, codec: str) -> str | None:
    """Decode a sample whose last line may end inside a character."""
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(sample)
    except UnicodeDecodeError:
        return None


def _is_high_letter(char: str) -> bool:
    return char > "\x7f" and char not in _SIGNS


def _is_plain_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()
