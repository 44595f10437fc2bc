"""The words of the first screen and of headings, in English and in Traditional Chinese.

The Chinese terms are those of the course (National Taiwan University, Machine Learning
Foundations). Names of columns and labels, and reasons why a search ended, stay as they are.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from separatrix.data import InputError

ENGLISH = {
    "table": "Table",
    "ranking": "Ranking",
    "separable": "Separable",
    "fit": "Logistic fit",
    "model": "Model",
    "mistakes": "Mistakes",
    "weights": "Weights",
    "warnings": "Warnings",
    "written": "Written",
    "next": "Next",
    "comma": ", ",
    "semicolon": "; ",
    "then": "{said}. {remedy}",
    "and_more": "{items} and {n} more",
    "row": "{n} row",
    "rows": "{n} rows",
    "column": "{n} column",
    "columns": "{n} columns",
    "all_rows": "{name}: {rows}, {columns}; {labels}",
    "some_rows": "{name}: {used} of {all} rows ({dropped} incomplete), {columns}; {labels}",
    "share_yes": "{yes} {share} %",
    "share_number": "{label} = {yes}: {share} %",
    "labels": "{label}: {counts}",
    "is_separable": "yes (proven): a line puts all {rows} on their own side",
    "pla": "PLA: T = {t} updates <= (R/rho)^2 = {bound} (standardised)",
    "pla_short": "PLA: T = {t} updates <= (R/rho)^2 = {bound}",
    "not_halted": "{t} (not halted)",
    "pair": "no (proven): {lines} have the same values and opposite labels",
    "contradict": "no (proven): {rows} contradict each other ({lines}, ...)",
    "few_contradict": "no (proven): {lines} contradict each other",
    "touching": "{found}; quasi-separated: some line has no row on its wrong side",
    "undecided": "undecided: {reason}",
    "line_lines": "lines {items}",
    "line_rows": "rows {items}",
    "line_of_file": "{line} of {file}",
    "some_are": "yes (proven) for {yes}",
    "some_are_not": "no (proven) for {no}",
    "some_open": "undecided for {open}",
    "ova": "one against the rest",
    "ovo": "pairwise",
    "one_of": "{no} or {yes}",
    "exists": "exists: the coefficients are finite (proven)",
    "exists_collinear": "exists, but coefficients of collinear columns are not unique",
    "no_fit": "does not exist: {infinite}",
    "infinite_all": "all {n} coefficients are infinite",
    "combination": "in a combination of collinear columns",
    "level": "{name} ({counts})",
    "all_one": "{rows}, all {label}",
    "both": "{rows}, {n} {yes}",
    "levels_of": "{n} levels of {name}",
    "all_listed": "{said} (all: --full)",
    "no_fit_for": "does not exist for {no}",
    "no_fit_count": "does not exist for {n} of {all}",
    "fit_for": "exists for {yes}",
    "fit_open": "not known, as separability is undecided",
    "merge": "Merge levels{rare}, drop the columns{drop}, or {infer}",
    "merge_one": "Merge this level{rare}, drop the column{drop}, or {infer}",
    "drop": "Keep these columns and {infer}, or drop them{drop}",
    "drop_one": "Keep this column and {infer}, or drop it{drop}",
    "merge_brief": "Merge{rare}, drop{drop}, or {infer}",
    "option": " ({option})",
    "penalty": "Take a separating line, or {infer}",
    "infer": "use infer: intervals, or finite estimates by --firth",
    "infer_brief": "use infer (--firth: finite)",
    "in_python": "use a penalty (judge: penalty=1)",
    "in_python_brief": "use a penalty",
    "infer_same": "separatrix infer, with the options that read this table",
    "cv": "{name}: cross-validated error {error} % ({spread}), guessing {guess} %",
    "spread": "SD {sd}",
    "no_spread": "the same in every fold",
    "no_cv": "{name}: not cross-validated (too few rows of a class)",
    "no_better": "{name}: no line has a lower cross-validated error ({error} %)",
    "why_by_hand": "chosen by hand",
    "why_no_folds": "fewest training mistakes",
    "why_least": "lowest error",
    "why_probabilities": "within one standard error of the lowest, gives probabilities",
    "why_simpler": "within one standard error of the lowest, simpler",
    "why_ranks": "ranks the rows",
    "ranked": "{label} is rare ({share} %): AUC {auc}, average precision {ap} (guessing {guess}), "
    "{how}; at one half {n} of {rows} answered {label}",
    "ranked_left_out": "cross-validated",
    "ranked_here": "on the rows of the fit",
    "unranked": "{label} is rare ({share} %), and no probabilities rank the rows: --penalty 1 has "
    "some; {n} of {rows} answered {label}",
    "summary_ranked": "{name}, of rare answers ({share} %): AUC {auc}, average precision {ap}, "
    "{how}",
    "why_no_clear": "gives probabilities",
    "of_penalty": "{name} (penalty {penalty})",
    "no_finite": "{why} (logistic regression has no finite fit)",
    "no_finite_for": "{why} (logistic, {error} %, has no finite fit for {n} of {all})",
    "no_difference": "no clear difference from {items}",
    "no_difference_count": "no clear difference from {n} others",
    "guessing": "guessing",
    "here": "{n} of {all}",
    "weighed": "{n} of {all} ({share} % by weight)",
    "some_makes_none": "{here}; some line makes none (proven)",
    "none_fewer": "{here}; no line makes fewer{proven}",
    "fewest": "{here}; the fewest of any line is {upper}{proven}",
    "at_least": "{here}; no line makes fewer than {lower}{proven}, best found {upper}",
    "proven": " (proven)",
    "unchecked": " (by search; --proof proves it)",
    "searched": " (by search)",
    "confused": "{here}; most often {label} answered as {answer} ({n})",
    "strongest": "{items} (strongest first{more})",
    "n_more": ", {n} more",
    "constant": "none: the answer is always the same",
    "many_lines": "{lines} lines of {n} weights each (--full)",
    "none": "none",
    "counted": "{n}: {items}",
    "stream_separable": "yes so far (proven): a line puts all {rows} on their own side",
    "stream_ceased": "no (proven) since line {line}: it and {others} before it contradict each "
    "other ({items}); the {before} before it are separable (proven)",
    "stream_alone": "no (proven) since line {line}, on which no line is right; the {before} before "
    "it are separable (proven)",
    "stream_between": "no (proven): the first {right} are separable, the first {wrong} are not; "
    "lines {items} contradict each other",
    "stream_open": "not known: the first {right} are separable (proven); for the others all would "
    "have to be read again, as from a file without --stream",
    "stream_mistakes": "{here}; each row was answered before it was learned from",
    "stream_bound": "at most {bound} on any rows of this radius and margin",
    "stream_model": "{name} after one pass, T = {t} updates; the lines on its way err on {risk} % "
    "of new rows at most, on average ({level} % sure, if rows are independent draws)",
    "stream_interrupted": "interrupted: nothing is said of rows after line {line}",
    "warn_constant": "constant: {items}",
    "warn_duplicate": "duplicate: {items}",
    "warn_collinear": "collinear: {items}",
    "warn_identifier": "another value in every row: {items} (an identifier?)",
    "warn_alone": "separating alone: {items} (known before the answer?)",
    "brief_identifier": "identifiers: {items}",
    "brief_alone": "separating alone: {items}",
    "warn_few_rows": "no more rows than columns",
    "warn_no_optimum": "see {fit}",
    "more_in_full": "more with --full",
    "nothing_yet": "nothing yet",
    "check_head": "{name}: {rows}, {columns}",
    "check_first": "of {n} files, the first: {head}",
    "check_columns": "column|read as|example|missing|range or levels",
    "check_more": "and {n} more columns without a suspicion",
    "problems": "Problems ({n})",
    "learn_with": "Learn with",
    "no_command": "No command is proposed: correct what is listed above, and check again.",
    "same_command": "the same command with {option}",
    "summary": "{found}. Model: {model}.",
    "summary_cv": "{name}, cross-validated error {error} % (guessing {guess} %)",
    "found_separable": "Separable (proven)",
    "found_touching": "Not separable (proven)",
    "found_overlapping": "Not separable (proven)",
    "found_undecided": "Separability undecided",
    "found_labels": "{n} of {all} questions separable",
    "is_it": "{table}: is {label} {yes}?",
    "which": "{table}: which {label}?",
    "question": "Question {n}: {asked}",
    "more_of": "{n} more",
    "mistake_first": "{n} mistake, then the right answers nearest to the line",
    "mistakes_first": "{n} mistakes, the worst first; then the right answers nearest to the line",
    "of_shown": "of the {n} rows that are shown here",
    "sd": "SD {sd}",
    "yes_proven": "yes, proven",
    "no_proven": "no, proven",
    "not_decided": "undecided",
    "shown_proven": "{figure}, proven",
    "from_to": "{lower} to {upper}",
    "rows_yes": "{used}, of which {yes} yes",
    "of_all": "{used} of {all}",
    "questions_yes": "{n} of {all} questions, proven",
}

TRADITIONAL_CHINESE = {
    "table": "資料表",
    "ranking": "排序",
    "separable": "線性可分",
    "fit": "羅吉斯迴歸",
    "model": "選用模型",
    "mistakes": "訓練錯誤",
    "weights": "權重",
    "warnings": "警告",
    "written": "已寫入",
    "next": "下一步",
    "comma": "、",
    "semicolon": "；",
    "then": "{said}。{remedy}",
    "and_more": "{items} 等（另有 {n} 個）",
    "row": "{n} 筆",
    "rows": "{n} 筆",
    "column": "{n} 欄",
    "columns": "{n} 欄",
    "all_rows": "{name}：{rows}，{columns}；{labels}",
    "some_rows": "{name}：採用 {all} 筆中的 {used} 筆（{dropped} 筆有缺值），{columns}；{labels}",
    "share_yes": "{yes} 占 {share} %",
    "share_number": "{label} = {yes} 占 {share} %",
    "labels": "{label}：{counts}",
    "is_separable": "是（已證明）：有一條線把 {rows}全部分對",
    "pla": "PLA：更新 T = {t} 次 <= (R/ρ)^2 = {bound}（標準化欄位）",
    "pla_short": "PLA：更新 T = {t} 次 <= (R/ρ)^2 = {bound}",
    "not_halted": "{t}（未停止）",
    "pair": "否（已證明）：{lines}的特徵相同而標籤相反",
    "contradict": "否（已證明）：{rows}互相矛盾（{lines}等）",
    "few_contradict": "否（已證明）：{lines}互相矛盾",
    "touching": "{found}；準可分：有一條線沒有分錯任何一筆，只有資料落在線上",
    "undecided": "未能判定：{reason}",
    "line_lines": "檔案第 {items} 行",
    "line_rows": "第 {items} 筆",
    "line_of_file": "{line}（{file}）",
    "some_are": "是（已證明）：{yes}",
    "some_are_not": "否（已證明）：{no}",
    "some_open": "未能判定：{open}",
    "ova": "一類對其餘",
    "ovo": "一類對一類",
    "one_of": "{no} 或 {yes}",
    "exists": "最大概似解存在，係數皆為有限值（已證明）",
    "exists_collinear": "最大概似解存在，但共線欄位的係數不唯一",
    "no_fit": "最大概似解不存在：{infinite}",
    "infinite_all": "全部 {n} 個係數都發散",
    "combination": "共線欄位的某個組合",
    "level": "{name}（{counts}）",
    "all_one": "{rows}，皆為 {label}",
    "both": "{rows}，{n} 筆為 {yes}",
    "levels_of": "{name} 的 {n} 個類別",
    "all_listed": "{said}（全部見 --full）",
    "no_fit_for": "最大概似解不存在：{no}",
    "no_fit_count": "{all} 個是非題中有 {n} 個的最大概似解不存在",
    "fit_for": "存在：{yes}",
    "fit_open": "未知，因為線性可分與否未能判定",
    "merge": "請合併這些類別{rare}、刪去欄位{drop}，或{infer}",
    "merge_one": "請合併這個類別{rare}、刪去欄位{drop}，或{infer}",
    "drop": "請保留這些欄位並{infer}，或刪去這些欄位{drop}",
    "drop_one": "請保留這個欄位並{infer}，或刪去它{drop}",
    "merge_brief": "請合併{rare}、刪欄{drop}，或{infer}",
    "option": "（{option}）",
    "penalty": "請用分隔線，或{infer}",
    "infer": "用 infer 求概似區間，或以 --firth 求有限估計值",
    "infer_brief": "用 infer（--firth）",
    "in_python": "加上懲罰項（judge：penalty=1）",
    "in_python_brief": "加懲罰項",
    "infer_same": "separatrix infer，加上讀取此表的選項",
    "cv": "{name}：交叉驗證誤差 {error} %（{spread}），一律猜同一類 {guess} %",
    "spread": "標準差 {sd}",
    "no_spread": "每一折都相同",
    "no_cv": "{name}：未做交叉驗證（某一類的資料太少）",
    "no_better": "{name}：沒有任何線的交叉驗證誤差更低（{error} %）",
    "why_by_hand": "由使用者指定",
    "why_no_folds": "訓練錯誤最少",
    "why_least": "誤差最低",
    "why_probabilities": "與最低誤差相差不到一個標準誤，且能給出機率",
    "why_simpler": "與最低誤差相差不到一個標準誤，且較簡單",
    "why_ranks": "能排序各筆資料",
    "ranked": "{label} 很少（{share} %）：AUC {auc}，平均精確率 {ap}（隨機猜 {guess}），{how}；"
    "門檻 0.5 時，{rows}中有 {n} 筆答為 {label}",
    "ranked_left_out": "交叉驗證",
    "ranked_here": "限訓練資料",
    "unranked": "{label} 很少（{share} %），且沒有機率可排序：--penalty 1 可得機率；"
    "{rows}中有 {n} 筆答為 {label}",
    "summary_ranked": "{name}，稀少的答案（{share} %）：AUC {auc}，平均精確率 {ap}，{how}",
    "why_no_clear": "能給出機率",
    "of_penalty": "{name}（懲罰項 {penalty}）",
    "no_finite": "{why}（羅吉斯迴歸的最大概似解不存在）",
    "no_finite_for": "{why}（羅吉斯迴歸 {error} %，但 {all} 題中有 {n} 題的解不存在）",
    "no_difference": "沒有明顯差異：{items}",
    "no_difference_count": "與另外 {n} 個模型沒有明顯差異（--full）",
    "guessing": "一律猜同一類",
    "here": "{all} 筆中錯 {n} 筆",
    "weighed": "{all} 筆中錯 {n} 筆（加權後 {share} %）",
    "some_makes_none": "{here}；有一條線完全不犯錯（已證明）",
    "none_fewer": "{here}；沒有線能更少{proven}",
    "fewest": "{here}；任何線最少錯 {upper} 筆{proven}",
    "at_least": "{here}；任何線至少錯 {lower} 筆{proven}，已找到的最佳線錯 {upper} 筆",
    "proven": "（已證明）",
    "unchecked": "（搜尋所得；--proof 可證明）",
    "searched": "（搜尋所得）",
    "confused": "{here}；最常把 {label} 答成 {answer}（{n} 筆）",
    "strongest": "{items}（依影響由大到小{more}）",
    "n_more": "，另有 {n} 個",
    "constant": "無：對每一筆的答案都相同",
    "many_lines": "{lines} 條線，各有 {n} 個權重（--full）",
    "none": "無",
    "counted": "{n} 項：{items}",
    "stream_separable": "目前是（已證明）：有一條線把 {rows}全部分對",
    "stream_ceased": "自第 {line} 行起否（已證明）：它與之前的 {others}（{items}）互相矛盾；"
    "在它之前的 {before}線性可分（已證明）",
    "stream_alone": "自第 {line} 行起否（已證明）：沒有線能分對這一筆；"
    "在它之前的 {before}線性可分（已證明）",
    "stream_between": "否（已證明）：前 {right}線性可分，前 {wrong}則否；第 {items} 行互相矛盾",
    "stream_open": "未知：前 {right}線性可分（已證明）；其餘須全部重讀，例如不加 --stream 讀檔",
    "stream_mistakes": "{here}；每一筆都先作答再學習",
    "stream_bound": "對半徑與邊界相同的資料最多錯 {bound} 次",
    "stream_model": "{name}，只讀一遍，更新 T = {t} 次；途中各條線在新資料上的平均錯誤率"
    "至多 {risk} %（信心 {level} %，資料須獨立抽樣）",
    "stream_interrupted": "已中斷：不含第 {line} 行以後的資料",
    "warn_constant": "常數欄位：{items}",
    "warn_duplicate": "重複欄位：{items}",
    "warn_collinear": "共線：{items}",
    "warn_identifier": "{items} 每筆的值都不同（是編號嗎？）",
    "warn_alone": "單憑 {items} 就能分開（事前就知道嗎？）",
    "brief_identifier": "編號：{items}",
    "brief_alone": "單憑 {items} 就能分開",
    "warn_few_rows": "資料筆數不多於欄位數",
    "warn_no_optimum": "見「{fit}」",
    "more_in_full": "其餘見 --full",
    "nothing_yet": "尚未寫入",
    "check_head": "{name}：{rows}，{columns}",
    "check_first": "{n} 個檔案中的第一個：{head}",
    "check_columns": "欄位|讀為|例|缺值|範圍或類別",
    "check_more": "另有 {n} 欄，沒有可疑之處",
    "problems": "問題（{n} 項）",
    "learn_with": "學習指令",
    "no_command": "沒有可建議的指令：請先更正上列問題，再檢查一次。",
    "same_command": "同一指令加上 {option}",
    "summary": "{found}。選用模型：{model}。",
    "summary_cv": "{name}，交叉驗證誤差 {error} %（一律猜同一類 {guess} %）",
    "found_separable": "線性可分（已證明）",
    "found_touching": "線性不可分（已證明）",
    "found_overlapping": "線性不可分（已證明）",
    "found_undecided": "線性可分與否未能判定",
    "found_labels": "{all} 個是非題中有 {n} 個線性可分",
    "is_it": "{table}：{label} 是不是 {yes}？",
    "which": "{table}：{label} 是哪一類？",
    "question": "第 {n} 題：{asked}",
    "more_of": "另有 {n} 項",
    "mistake_first": "{n} 筆錯誤；接著是最靠近線的正確答案",
    "mistakes_first": "{n} 筆錯誤，錯得最遠的在前；接著是最靠近線的正確答案",
    "of_shown": "限此處所示的 {n} 筆",
    "sd": "標準差 {sd}",
    "yes_proven": "是（已證明）",
    "no_proven": "否（已證明）",
    "not_decided": "未能判定",
    "shown_proven": "{figure}（已證明）",
    "from_to": "{lower} 到 {upper}",
    "rows_yes": "{used}，其中「是」{yes} 筆",
    "of_all": "{all} 筆中的 {used} 筆",
    "questions_yes": "{all} 題中的 {n} 題（已證明）",
}

CHINESE_NAMES = {
    "always yes": "一律答是",
    "always no": "一律答否",
    "pocket": "口袋演算法",
    "linear regression": "線性迴歸",
    "logistic regression": "羅吉斯迴歸",
}

CHINESE_OF_CHECK = {
    "number": "數字",
    "category": "類別",
    "label": "標記",
    "empty": "空欄",
    "refused": "無法讀取",
    "identifier": "編號",
    "free text": "自由文字",
    "date": "日期",
    "money": "金額",
    "per cent": "百分比",
    "number with marks": "帶千分位的數字",
    "levels alike but for case or blanks": "只差大小寫或空白的類別",
    "one value only": "只有一個值",
    "date written as a number": "寫成數字的日期",
    "code (post code, phone)": "代碼（郵遞區號、電話）",
    "not read": "未讀取",
    "decides the answer alone: known before it?": "單憑此欄就決定答案：事前就知道嗎？",
}

CHINESE_HEADINGS = {
    "Coefficients": "係數",
    "Odds ratios": "勝算比",
    "coefficient": "係數",
    "std. error": "標準誤",
    "odds ratio": "勝算比",
    "Tests of groups of columns": "欄位群組的檢定",
    "Result": "結果",
    "Warnings": "警告",
    "Models compared": "模型比較",
    "Confusion matrix, cross-validated": "混淆矩陣，交叉驗證",
    "Confusion matrix, training rows": "混淆矩陣，訓練資料",
    "Questions one by one: training mistakes": "各個是非題：訓練錯誤",
    "Questions one by one: cross-validated errors": "各個是非題：交叉驗證誤差",
    "Weights": "權重",
    "Infinite coefficients": "發散的係數",
    "PLA and its bound": "PLA 與更新次數的上界",
    "Generalisation": "泛化",
    "What the probabilities are worth": "機率是否可信",
    "Data": "資料",
    "Weights of the line": "線的權重",
    "One row explained": "逐筆說明",
    "Right and wrong by threshold": "門檻與對錯",
    "Rows and their answers": "各筆資料與答案",
    "What is proven": "已證明的事",
    "Every question": "各個是非題",
    "More tables": "其他表格",
    "separatrix report": "separatrix 報告",
    "On this page": "本頁內容",
    "One row": "逐筆說明",
    "Threshold": "門檻",
    "Rows": "各筆資料",
    "Models": "模型",
    "Proof": "證明",
    "Origin": "來源",
    "Confusion matrix": "混淆矩陣",
    "Questions": "是非題",
    "Cross-validated error": "交叉驗證誤差",
    "Training error": "訓練誤差",
    "Error of the model and of guessing": "模型與一律猜同一類的誤差",
    "Selected model": "選用模型",
    "Linearly separable": "線性可分",
    "Mistakes on these rows": "訓練錯誤",
    "Fewest that any line makes": "任何線最少的錯誤",
    "Columns": "欄數",
    "Labels": "標籤",
    "Points of every column, and the threshold": "每一欄的點數，以及門檻",
    "If the two mistakes cost unequally: the best threshold for some ratios": (
        "兩種錯誤的代價不同時，各種比例的最佳門檻"
    ),
    "How the model was selected, and what the columns mean": "如何選出模型，以及各欄的意義",
    "What the columns mean": "各欄的意義",
    "Generalisation: bounds": "泛化：上界",
    "The rows that contradict each other": "互相矛盾的資料",
    "The fewest mistakes": "最少的錯誤",
    "Finite coefficients?": "係數是否為有限值？",
    "Rows, columns and how they were read": "資料、欄位與讀取方式",
    "The two columns that separate best": "最能分開兩類的兩欄",
    "How this page was made": "本頁如何產生",
    "Names in full": "完整名稱",
    "The line for this question alone": "只看這一題的線",
    "column": "欄位",
    "value": "值",
    "points": "點數",
    "threshold": "門檻",
    "threshold: yes where the sum is more than": "門檻：總和大於此值，答案為「是」",
    "its value": "值",
    "adds": "加上",
    "against the average row": "與平均相比",
    "sum": "總和",
    "sum less the threshold": "總和減去門檻",
    "label": "標籤",
    "share": "比例",
    "answer": "答案",
    "score": "分數",
    "line": "行",
    "file": "檔案",
    "row": "筆",
    "answered": "答為",
    "right": "答對",
    "mistakes": "錯誤",
    "the point that both sides share": "兩類共有的點",
    "cost of wrong yes : wrong no": "代價比（誤判為是：誤判為否）",
    "best threshold": "最佳門檻",
    "wrong yes": "誤判為是",
    "wrong no": "誤判為否",
    "cost then": "改用後的代價",
    "cost now": "目前的代價",
    "learner": "學習演算法",
    "by weight": "加權",
    "cross-validated": "交叉驗證",
    "time": "時間",
    "updates": "更新次數",
    "rows of": "標籤",
    "question": "是非題",
    "rows yes": "「是」的筆數",
    "separable": "線性可分",
    "fewest": "最少錯誤",
    "weight": "權重",
    "estimate": "估計值",
    "weight used": "所用權重",
    "bound": "上界",
    "about": "對象",
    "at most": "至多",
    "command": "指令",
    "data": "資料",
    "SHA-256 of the data": "資料的 SHA-256",
    "rows read": "讀入筆數",
    "seed": "亂數種子",
    "cross-validation": "交叉驗證",
}

CHINESE_CONTROLS = {  # what the page's script writes
    "all rows": "全部資料",
    "mistakes": "錯誤",
    "right answers": "正確答案",
    "Show": "顯示",
    "Change a value, or type a row of your own": "更改其中的值，或輸入自己的一筆資料",
    "a number": "數字",
    "missing": "缺值",
    "Answer": "答案",
    "sum": "總和",
    "sum less the threshold": "總和減去門檻",
    "Cheapest threshold": "代價最小的門檻",
    "Reset": "還原",
    "Cost of a wrong yes": "誤判為是的代價",
    "a wrong no": "誤判為否",
    "all mistakes": "全部錯誤",
    "Move the threshold": "移動門檻",
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one language.

    Parameters
    ----------
    code : str
        Of the language.
    phrases, names, headings, controls : mappings
        Phrases with places to fill, names of learners, headings, and what the page's script
        writes; what is missing of the last three stays English.
    """

    code: str
    phrases: Mapping[str, str]
    names: Mapping[str, str]
    headings: Mapping[str, str]
    controls: Mapping[str, str]

    def __call__(self, phrase: str, **values: object) -> str:
        """Return a phrase with its places filled."""
        return self.phrases[phrase].format(**values)

    def count(self, n: int, what: str) -> str:
        """Return "1 row", "2 rows"."""
        return self(what if n == 1 else f"{what}s", n=f"{n:,}")

    def name(self, learner: str) -> str:
        """Return what a learner is called, or a kind of column or suspicion of `check`."""
        known, _, penalty = learner.partition(" (penalty ")
        if penalty:
            name = self.names.get(known, known)
            return self("of_penalty", name=name, penalty=penalty.removesuffix(")"))
        return self.names.get(learner, learner)

    def heading(self, title: str) -> str:
        """Return a heading; all of it, or what stands in brackets, may be the name of a learner."""
        head, bracket, rest = title.partition(" (")
        if head not in self.headings:
            return self.name(title)
        return self.headings[head] + (f"（{self.name(rest[:-1])}）" if bracket else "")


ENGLISH_WORDS = Words("en", ENGLISH, {}, {}, {})
LANGUAGES = {
    "en": ENGLISH_WORDS,
    "zh-Hant": Words(
        "zh-Hant",
        TRADITIONAL_CHINESE,
        CHINESE_NAMES | CHINESE_OF_CHECK,
        CHINESE_HEADINGS,
        CHINESE_CONTROLS,
    ),
}
HAN = ("zh_tw", "zh_hk", "zh_mo", "zh_hant")


def words_of(lang: str) -> Words:
    """Return the words of a language.

    Raises
    ------
    InputError
        For another language.
    """
    if lang not in LANGUAGES:
        raise InputError(f"lang={lang!r} is not known; choose {' or '.join(LANGUAGES)}.")
    return LANGUAGES[lang]


def language_of_locale() -> str:
    """Return the language that LC_ALL, LC_MESSAGES or LANG asks for."""
    set_to = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next((value for value in set_to if value), "").casefold().replace("-", "_")
    return "zh-Hant" if locale.startswith(HAN) else "en"
