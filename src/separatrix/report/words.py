"""The words of the first screen and of headings, in English and in Traditional Chinese.

The Chinese terms are those of the course (National Taiwan University, Machine Learning
Foundations). Names of columns and labels, and reasons why a search ended, stay as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from separatrix.data import InputError

PHRASES = {  # of the first screen and the page: in English, in Chinese
    "table": ("Table", "資料表"),
    "ranking": ("Ranking", "排序"),
    "separable": ("Separable", "線性可分"),
    "fit": ("Logistic fit", "羅吉斯迴歸"),
    "model": ("Model", "選用模型"),
    "mistakes": ("Mistakes", "訓練錯誤"),
    "weights": ("Weights", "權重"),
    "warnings": ("Warnings", "警告"),
    "written": ("Written", "已寫入"),
    "next": ("Next", "下一步"),
    "comma": (", ", "、"),
    "semicolon": ("; ", "；"),
    "then": ("{said}. {remedy}", "{said}。{remedy}"),
    "and_more": ("{items} and {n} more", "{items} 等（另有 {n} 個）"),
    "row": ("{n} row", "{n} 筆"),
    "rows": ("{n} rows", "{n} 筆"),
    "column": ("{n} column", "{n} 欄"),
    "columns": ("{n} columns", "{n} 欄"),
    "all_rows": ("{name}: {rows}, {columns}; {labels}", "{name}：{rows}，{columns}；{labels}"),
    "some_rows": ("{name}: {used} of {all} rows ({dropped} incomplete), {columns}; {labels}",
        "{name}：採用 {all} 筆中的 {used} 筆（{dropped} 筆有缺值），{columns}；{labels}"),
    "share_yes": ("{yes} {share} %", "{yes} 占 {share} %"),
    "share_number": ("{label} = {yes}: {share} %", "{label} = {yes} 占 {share} %"),
    "share_rest": ("{said} (no: {rest})", "{said}（否：{rest}）"),
    "labels": ("{label}: {counts}", "{label}：{counts}"),
    "all": ("all {counted}", "全部 {counted}"),
    "is_separable": ("yes (proven): a line puts {rows} on their own side",
        "是（已證明）：有一條線把{rows}分對"),
    "pla": ("PLA: T = {t} updates <= (R/rho)^2 = {bound} (standardised)",
        "PLA：更新 T = {t} 次 <= (R/ρ)^2 = {bound}（標準化欄位）"),
    "pla_short": ("PLA: T = {t} updates <= (R/rho)^2 = {bound}",
        "PLA：更新 T = {t} 次 <= (R/ρ)^2 = {bound}"),
    "not_halted": ("{t} (not halted)", "{t}（未停止）"),
    "pair": ("no (proven): {lines} have the same values and opposite labels",
        "否（已證明）：{lines}的特徵相同而標籤相反"),
    "contradict": ("no (proven): {rows} contradict each other ({lines}, ...)",
        "否（已證明）：{rows}互相矛盾（{lines}等）"),
    "few_contradict": ("no (proven): {lines} contradict each other",
        "否（已證明）：{lines}互相矛盾"),
    "touching": ("{found}; quasi-separated: some line has no row on its wrong side",
        "{found}；準可分：有一條線沒有分錯任何一筆，只有資料落在線上"),
    "touching_short": ("no (proven), quasi-separated: {rows} contradict each other",
        "否（已證明），準可分：{rows}互相矛盾"),
    "undecided": ("undecided: {reason}", "未能判定：{reason}"),
    "line_lines": ("lines {items}", "檔案第 {items} 行"),
    "line_rows": ("rows {items}", "第 {items} 筆"),
    "line_of_file": ("{line} of {file}", "{line}（{file}）"),
    "some_are": ("yes (proven) for {yes}", "是（已證明）：{yes}"),
    "some_are_not": ("no (proven) for {no}", "否（已證明）：{no}"),
    "some_open": ("undecided for {open}", "未能判定：{open}"),
    "ova": ("one against the rest", "一類對其餘"),
    "ovo": ("pairwise", "一類對一類"),
    "one_of": ("{no} or {yes}", "{no} 或 {yes}"),
    "exists": ("exists: the coefficients are finite (proven)",
        "最大概似解存在，係數皆為有限值（已證明）"),
    "exists_collinear": ("exists, but coefficients of collinear columns are not unique",
        "最大概似解存在，但共線欄位的係數不唯一"),
    "no_fit": ("does not exist: {infinite}", "最大概似解不存在：{infinite}"),
    "coefficients": ("{n} coefficients", "{n} 個係數"),
    "infinite_all": ("{all} are infinite", "{all}都發散"),
    "combination": ("in a combination of collinear columns", "共線欄位的某個組合"),
    "level": ("{name} ({counts})", "{name}（{counts}）"),
    "one_row": ("1 row, {label}", "1 筆，為 {label}"),
    "two_rows": ("2 rows, both {label}", "2 筆，皆為 {label}"),
    "all_one": ("{rows}, all {label}", "{rows}，皆為 {label}"),
    "both": ("{rows}, {n} {yes}", "{rows}，{n} 筆為 {yes}"),
    "levels_of": ("{n} levels of {name}", "{name} 的 {n} 個類別"),
    "all_listed": ("{said} (all: --full)", "{said}（全部見 --full）"),
    "no_fit_for": ("does not exist for {no}", "最大概似解不存在：{no}"),
    "no_fit_count": ("does not exist for {n} of {all}",
        "{all} 個是非題中有 {n} 個的最大概似解不存在"),
    "fit_for": ("exists for {yes}", "存在：{yes}"),
    "fit_open": ("not known, as separability is undecided", "未知，因為線性可分與否未能判定"),
    "merge": ("Merge levels{rare}, drop the columns{drop}, or {infer}",
        "請合併這些類別{rare}、刪去欄位{drop}，或{infer}"),
    "merge_in_one": ("Merge levels{rare}, drop the column{drop}, or {infer}",
        "請合併這些類別{rare}、刪去欄位{drop}，或{infer}"),
    "merge_one": ("Merge this level{rare}, drop the column{drop}, or {infer}",
        "請合併這個類別{rare}、刪去欄位{drop}，或{infer}"),
    "drop": ("Keep these columns and {infer}, or drop them{drop}",
        "請保留這些欄位並{infer}，或刪去這些欄位{drop}"),
    "drop_one": ("Keep this column and {infer}, or drop it{drop}",
        "請保留這個欄位並{infer}，或刪去它{drop}"),
    "merge_brief": ("Merge{rare}, drop{drop}, or {infer}", "請合併{rare}、刪欄{drop}，或{infer}"),
    "option": (" ({option})", "（{option}）"),
    "penalty": ("Take a separating line, or {infer}", "請用分隔線，或{infer}"),
    "infer": ("use infer: intervals, or finite estimates by --firth",
        "用 infer 求概似區間，或以 --firth 求有限估計值"),
    "infer_in_blocks": ("use infer: intervals", "用 infer 求概似區間"),
    "infer_brief": ("use infer (--firth: finite)", "用 infer（--firth）"),
    "in_python": ("use a penalty (judge: penalty=1)", "加上懲罰項（judge：penalty=1）"),
    "in_python_brief": ("use a penalty", "加懲罰項"),
    "infer_same": ("separatrix infer, with the options that read this table",
        "separatrix infer，加上讀取此表的選項"),
    "cv": ("{name}: cross-validated error {error} % ({spread}), guessing {guess} %",
        "{name}：交叉驗證誤差 {error} %（{spread}），一律猜同一類 {guess} %"),
    "spread": ("SD {sd}", "標準差 {sd}"),
    "no_spread": ("the same in every fold", "每一折都相同"),
    "no_cv": ("{name}: not cross-validated (too few rows of a class)",
        "{name}：未做交叉驗證（某一類的資料太少）"),
    "no_better": ("{name}: no line has a lower cross-validated error ({error} %)",
        "{name}：沒有任何線的交叉驗證誤差更低（{error} %）"),
    "why_by_hand": ("chosen by hand", "由使用者指定"),
    "why_no_folds": ("fewest training mistakes", "訓練錯誤最少"),
    "why_least": ("lowest error", "誤差最低"),
    "why_probabilities": ("within one standard error of the lowest, gives probabilities",
        "與最低誤差相差不到一個標準誤，且能給出機率"),
    "why_simpler": ("within one standard error of the lowest, simpler",
        "與最低誤差相差不到一個標準誤，且較簡單"),
    "why_ranks": ("ranks the rows", "能排序各筆資料"),
    "ranked": ("{label} is rare ({share} %): AUC {auc}, average precision {ap} (guessing "
        "{guess}), {how}; at one half {n} of {rows} answered {label}",
        "{label} 很少（{share} %）：AUC {auc}，平均精確率 {ap}（隨機猜 {guess}），{how}；門檻 "
        "0.5 時，{rows}中有 {n} 筆答為 {label}"),
    "ranked_left_out": ("cross-validated", "交叉驗證"),
    "ranked_here": ("on the rows of the fit", "限訓練資料"),
    "unranked": ("{label} is rare ({share} %), and no probabilities rank the rows: --penalty 1 "
        "has some; {n} of {rows} answered {label}",
        "{label} 很少（{share} %），且沒有機率可排序：--penalty 1 可得機率；{rows}中有 {n} "
        "筆答為 {label}"),
    "summary_ranked": ("{name}, of rare answers ({share} %): AUC {auc}, average precision {ap}, "
        "{how}", "{name}，稀少的答案（{share} %）：AUC {auc}，平均精確率 {ap}，{how}"),
    "why_no_clear": ("gives probabilities", "能給出機率"),
    "of_penalty": ("{name} (penalty {penalty})", "{name}（懲罰項 {penalty}）"),
    "no_finite": ("{why} (logistic regression has no finite fit)",
        "{why}（羅吉斯迴歸的最大概似解不存在）"),
    "no_finite_for": ("{why} (logistic, {error} %, has no finite fit for {n} of {all})",
        "{why}（羅吉斯迴歸 {error} %，但 {all} 題中有 {n} 題的解不存在）"),
    "no_difference": ("no clear difference from {items}", "沒有明顯差異：{items}"),
    "no_difference_count": ("no clear difference from {n} others",
        "與另外 {n} 個模型沒有明顯差異（--full）"),
    "guessing": ("guessing", "一律猜同一類"),
    "here": ("{n} of {all}", "{all} 筆中錯 {n} 筆"),
    "weighed": ("{n} of {all} ({share} % by weight)", "{all} 筆中錯 {n} 筆（加權後 {share} %）"),
    "by_weight": ("{n} by weight", "權重 {n}"),
    "by_count": ("{n}", "{n} 筆"),
    "always": ("always {label}", "一律答 {label}"),
    "about": ("about {n}", "約 {n}"),
    "some_makes_none": ("{here}; some line makes none (proven)",
        "{here}；有一條線完全不犯錯（已證明）"),
    "none_fewer": ("{here}; no line makes fewer{proven}", "{here}；沒有線能更少{proven}"),
    "fewest": ("{here}; the fewest of any line is {upper}{proven}",
        "{here}；任何線最少錯 {upper}{proven}"),
    "at_least": ("{here}; no line makes fewer than {lower}{proven}, best found {upper}",
        "{here}；任何線至少錯 {lower}{proven}，已找到的最佳線錯 {upper}"),
    "proven": (" (proven)", "（已證明）"),
    "unchecked": (" (by search; --proof proves it)", "（搜尋所得；--proof 可證明）"),
    "searched": (" (by search)", "（搜尋所得）"),
    "confused": ("{here}; most often {label} answered as {answer} ({n})",
        "{here}；最常把 {label} 答成 {answer}（{n} 筆）"),
    "strongest": ("{items} (by |weight| x SD{more})", "{items}（依 |權重| × 標準差{more}）"),
    "n_more": (", {n} more", "，另有 {n} 欄"),
    "levels_from_to": ("{name} {lower} to {upper}", "{name} {lower} 到 {upper}"),
    "constant": ("none: the answer is always the same", "無：對每一筆的答案都相同"),
    "many_lines": ("{lines} lines of {n} weights each (--full)",
        "{lines} 條線，各有 {n} 個權重（--full）"),
    "none": ("none", "無"),
    "counted": ("{n}: {items}", "{n} 項：{items}"),
    "warn_read": ("how the table was read (--full)", "讀取表格的方式（--full）"),
    "warn_constant": ("constant: {items}", "常數欄位：{items}"),
    "warn_duplicate": ("duplicate: {items}", "重複欄位：{items}"),
    "warn_collinear": ("collinear: {items}", "共線：{items}"),
    "warn_identifier": ("another value in every row: {items} (an identifier?)",
        "{items} 每筆的值都不同（是編號嗎？）"),
    "warn_alone": ("separating alone: {items} (known before the answer?)",
        "單憑 {items} 就能分開（事前就知道嗎？）"),
    "brief_identifier": ("identifiers: {items}", "編號：{items}"),
    "brief_alone": ("separating alone: {items}", "單憑 {items} 就能分開"),
    "warn_few_rows": ("no more rows than columns", "資料筆數不多於欄位數"),
    "warn_no_optimum": ("see {fit}", "見「{fit}」"),
    "more_in_full": ("more with --full", "其餘見 --full"),
    "nothing_yet": ("nothing yet", "尚未寫入"),
    "check_head": ("{name}: {rows}, {columns}", "{name}：{rows}，{columns}"),
    "check_first": ("of {n} files, the first: {head}", "{n} 個檔案中的第一個：{head}"),
    "check_columns": ("column|read as|example|missing|range or levels",
        "欄位|讀為|例|缺值|範圍或類別"),
    "check_more": ("and {n} more columns without a suspicion", "另有 {n} 欄，沒有可疑之處"),
    "problems": ("Problems ({n})", "問題（{n} 項）"),
    "yes_is": ("Yes is {yes} (--yes): {why}.", "「是」為 {yes}（--yes）：{why}。"),
    "learn_with": ("Learn with", "學習指令"),
    "first_rows": ("the first {rows}", "前 {rows}"),
    "no_command": ("No command is proposed: correct what is listed above, and check again.",
        "沒有可建議的指令：請先更正上列問題，再檢查一次。"),
    "same_command": ("the same command with {option}", "同一指令加上 {option}"),
    "summary": ("{found}. Model: {model}.", "{found}。選用模型：{model}。"),
    "summary_cv": ("{name}, cross-validated error {error} % (guessing {guess} %)",
        "{name}，交叉驗證誤差 {error} %（一律猜同一類 {guess} %）"),
    "found_separable": ("Separable (proven)", "線性可分（已證明）"),
    "found_touching": ("Not separable (proven)", "線性不可分（已證明）"),
    "found_overlapping": ("Not separable (proven)", "線性不可分（已證明）"),
    "found_undecided": ("Separability undecided", "線性可分與否未能判定"),
    "found_labels": ("{n} of {all} questions separable", "{all} 個是非題中有 {n} 個線性可分"),
    "is_it": ("{table}: is {label} {yes}?", "{table}：{label} 是不是 {yes}？"),
    "which": ("{table}: which {label}?", "{table}：{label} 是哪一類？"),
    "question": ("Question {n}: {asked}", "第 {n} 題：{asked}"),
    "more_of": ("{n} more", "另有 {n} 項"),
    "mistake_first": ("{n} mistake, then the right answers nearest to the line",
        "{n} 筆錯誤；接著是最靠近線的正確答案"),
    "mistakes_first": ("{n} mistakes, the worst first; then the right answers nearest to the line",
        "{n} 筆錯誤，錯得最遠的在前；接著是最靠近線的正確答案"),
    "of_shown": ("of the {n} rows that are shown here", "限此處所示的 {n} 筆"),
    "sd": ("SD {sd}", "標準差 {sd}"),
    "of_rows_wrong": ("of rows wrong; guessing {guess}", "的資料答錯；一律猜同一類 {guess}"),
    "auc_left_out": ("{auc}, cross-validated", "{auc}（交叉驗證）"),
    "auc_here": ("{auc}, on these rows", "{auc}（這些資料上）"),
    "yes_proven": ("yes, proven", "是（已證明）"),
    "no_proven": ("no, proven", "否（已證明）"),
    "not_decided": ("undecided", "未能判定"),
    "shown_proven": ("{figure}, proven", "{figure}（已證明）"),
    "from_to": ("{lower} to {upper}", "{lower} 到 {upper}"),
    "rows_yes": ("{used}, of which {yes} yes", "{used}，其中「是」{yes} 筆"),
    "of_all": ("{used} of {all}", "{all} 筆中的 {used} 筆"),
    "questions_yes": ("{n} of {all} questions, proven", "{all} 題中的 {n} 題（已證明）"),
}  # fmt: skip

CHINESE_NAMES = {
    "always yes": "一律答是", "always no": "一律答否", "pocket": "口袋演算法",
    "linear regression": "線性迴歸", "logistic regression": "羅吉斯迴歸",
}  # fmt: skip

CHINESE_OF_CHECK = {
    "number": "數字", "category": "類別", "label": "標記", "empty": "空欄", "refused": "無法讀取",
    "identifier": "編號", "free text": "自由文字", "date": "日期", "money": "金額",
    "per cent": "百分比", "number with marks": "帶千分位的數字",
    "levels alike but for case or blanks": "只差大小寫或空白的類別", "one value only": "只有一個值",
    "date written as a number": "寫成數字的日期",
    "code (post code, phone)": "代碼（郵遞區號、電話）", "not read": "未讀取",
    "the event of the two": "兩者之中它是事件",
    "the word for yes of the two": "兩者之中它表示「是」",
    "the other label is its negation": "另一個標籤是它的否定",
    "the second label in sorted order (neither says yes itself)":
        "兩者都不表示「是」，取排序後的第二個",
    "decides the answer alone: known before it?": "單憑此欄就決定答案：事前就知道嗎？",
}  # fmt: skip

CHINESE_HEADINGS = {
    "Coefficients": "係數", "Odds ratios": "勝算比", "Forest plot": "森林圖", "Estimate": "估計值",
    "Std. Error": "標準誤", "z value": "z 值", "per": "單位", "coefficient": "係數",
    "std. error": "標準誤", "odds ratio": "勝算比", "Tests of groups of columns": "欄位群組的檢定",
    "Result": "結果", "Warnings": "警告", "Models compared": "模型比較",
    "Confusion matrix, cross-validated": "混淆矩陣，交叉驗證",
    "Confusion matrix, training rows": "混淆矩陣，訓練資料",
    "Questions one by one: training mistakes": "各個是非題：訓練錯誤",
    "Questions one by one: cross-validated errors": "各個是非題：交叉驗證誤差", "Weights": "權重",
    "PLA and its bound": "PLA 與更新次數的上界",
    "Generalisation": "泛化", "What the probabilities are worth": "機率是否可信", "Data": "資料",
    "Weights of the line": "線的權重", "One row explained": "逐筆說明",
    "Right and wrong by threshold": "門檻與對錯", "Rows and their answers": "各筆資料與答案",
    "What is proven": "已證明的事", "Every question": "各個是非題", "More tables": "其他表格",
    "separatrix report": "separatrix 報告", "On this page": "本頁內容", "One row": "逐筆說明",
    "Threshold": "門檻", "Rows": "各筆資料", "Models": "模型", "Proof": "證明", "Origin": "來源",
    "Confusion matrix": "混淆矩陣", "Questions": "是非題", "Cross-validated error": "交叉驗證誤差",
    "Training error": "訓練誤差", "Error of the model and of guessing": "模型與一律猜同一類的誤差",
    "Selected model": "選用模型", "Linearly separable": "線性可分",
    "Mistakes on these rows": "訓練錯誤", "Fewest that any line makes": "任何線最少的錯誤",
    "Columns": "欄數", "Labels": "標籤",
    "If the two mistakes cost unequally: the best threshold for some ratios":
        "兩種錯誤的代價不同時，各種比例的最佳門檻",
    "How the model was selected, and what the columns mean": "如何選出模型，以及各欄的意義",
    "What the columns mean": "各欄的意義", "Generalisation: bounds": "泛化：上界",
    "The rows that contradict each other": "互相矛盾的資料", "The fewest mistakes": "最少的錯誤",
    "Finite coefficients?": "係數是否為有限值？",
    "Rows, columns and how they were read": "資料、欄位與讀取方式",
    "The two strongest columns": "影響最大的兩欄", "How this page was made": "本頁如何產生",
    "Names in full": "完整名稱", "The line for this question alone": "只看這一題的線",
    "column": "欄位", "value": "值", "points": "點數", "threshold": "門檻",
    "threshold: yes where the sum is more than": "門檻：總和大於此值，答案為「是」",
    "its value": "值", "adds": "加上", "against the average row": "與平均相比", "sum": "總和",
    "sum less the threshold": "總和減去門檻", "label": "標籤", "share": "比例", "answer": "答案",
    "score": "分數", "line": "行", "file": "檔案", "row": "筆", "answered": "答為", "right": "答對",
    "mistakes": "錯誤", "the point that both sides share": "兩類共有的點",
    "cost of wrong yes : wrong no": "代價比（誤判為是：誤判為否）", "best threshold": "最佳門檻",
    "wrong yes": "誤判為是", "wrong no": "誤判為否", "cost then": "改用後的代價",
    "cost now": "目前的代價", "learner": "學習演算法", "by weight": "加權",
    "cross-validated": "交叉驗證", "time": "時間", "updates": "更新次數", "rows of": "標籤",
    "question": "是非題", "rows yes": "「是」的筆數", "separable": "線性可分", "fewest": "最少錯誤",
    "weight": "權重", "estimate": "估計值", "weight used": "所用權重", "bound": "上界",
    "about": "對象", "at most": "至多", "command": "指令", "data": "資料",
    "SHA-256 of the data": "資料的 SHA-256", "rows read": "讀入筆數", "seed": "亂數種子",
    "cross-validation": "交叉驗證",
}  # fmt: skip

CHINESE_CONTROLS = {  # what the page's script writes
    "all rows": "全部資料", "mistakes": "錯誤", "right answers": "正確答案", "Show": "顯示",
    "Change a value, or type a row of your own": "更改其中的值，或輸入自己的一筆資料",
    "a number": "數字", "missing": "缺值", "Answer": "答案", "sum": "總和",
    "sum less the threshold": "總和減去門檻", "Cheapest threshold": "代價最小的門檻",
    "Reset": "還原", "Cost of a wrong yes": "誤判為是的代價", "a wrong no": "誤判為否",
    "all mistakes": "全部錯誤", "Move the threshold": "移動門檻",
}  # fmt: skip

ONE = re.compile(r"\b(?<![\d.,])(1 (?:more )?(?:row|column|level|question|mistake|line))s\b")


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language."""

    code: str  # of the language
    phrases: Mapping[str, str]
    names: Mapping[str, str]
    headings: Mapping[str, str]
    controls: Mapping[str, str]

    def __call__(self, phrase: str, **values: object) -> str:
        """Return a phrase with its places filled; of one thing "1 row", not "1 rows"."""
        said = self.phrases[phrase].format(**values)
        of_one = self.code == "en" and "1" in map(str, values.values())
        return ONE.sub(r"\1", said) if of_one else said

    def count(self, n: int, what: str) -> str:
        """Return "1 row", "2 rows"."""
        return self(what if n == 1 else f"{what}s", n=f"{n:,}")

    def all(self, n: int, what: str) -> str:
        """Return "both rows", "all 3 rows"."""
        if n == 2 and self.code == "en":
            return f"both {what}s"
        return self("all", counted=self.count(n, what))

    def listed(self, items: Sequence[str], most: int = 3) -> str:
        """Return "a, b and 3 more"."""
        shown = self("comma").join(items[:most])
        more = len(items) - most
        return self("and_more", items=shown, n=more) if more > 0 else shown

    def name(self, learner: str) -> str:
        """Return what a learner is called, or a kind of column or suspicion of `check`."""
        known, _, penalty = learner.partition(" (penalty ")
        if penalty:
            name = self.names.get(known, known)
            return self("of_penalty", name=name, penalty=penalty.removesuffix(")"))
        if learner.startswith("always ") and learner not in self.names:
            return self("always", label=learner.removeprefix("always "))
        return self.names.get(learner, learner)

    def heading(self, title: str) -> str:
        """Return a heading; all of it, or what stands in brackets, may be the name of a learner."""
        head, bracket, rest = title.partition(" (")
        if head not in self.headings:
            return self.name(title)
        return self.headings[head] + (f"（{self.name(rest[:-1])}）" if bracket else "")


ENGLISH_WORDS = Words("en", {key: said[0] for key, said in PHRASES.items()}, {}, {}, {})
LANGUAGES = {
    "en": ENGLISH_WORDS,
    "zh-Hant": Words(
        "zh-Hant",
        {key: said[1] for key, said in PHRASES.items()},
        CHINESE_NAMES | CHINESE_OF_CHECK,
        CHINESE_HEADINGS,
        CHINESE_CONTROLS,
    ),
}
HAN = ("zh_tw", "zh_hk", "zh_mo", "zh_hant")


def words_of(lang: str) -> Words:
    if lang not in LANGUAGES:
        raise InputError(f"lang={lang!r} is not known; choose {' or '.join(LANGUAGES)}.")
    return LANGUAGES[lang]


def language_of_locale() -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG asks for."""
    set_to = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((value for value in set_to if value), "").casefold().replace("-", "_")
    return "zh-Hant" if locale.startswith(HAN) else "en"
