import type { LanguageWords } from "./language.ts";

export const japanese: LanguageWords = {
  code: "ja",
  failureOpening: "エラー|失敗",
  failureClause: "できませんでした",
  failureState: "失敗",
  failureField: "エラー",
  refusalState: "拒否|不可",
  done: "(完了|成功|保存|更新|作成|削除|追加|送信|登録)(し|され|済|です|$)",
  denial:
    "ません(?!か)|できな|できず|見つからな|見つからず|なかった|ありえない|失敗|無効|タイムアウト|時間切れ|拒否され",
  negatedFault: "(?:エラー|問題|失敗|警告|異常|不具合)[はもが]?(?:あり|見つかり|発生してい|検出され)?ません(?:でした)?",
  announcing: "これから|今から|今すぐ|(?:始め|作成し|書き|確認し|実行し)ます[。!]?$",
  goOn: "続けて|続行|進めて|次へ",
  please: "はい|どうぞ|では",
  calls: "ツール|関数",
  answers: "回答|応答|呼び出",
};
