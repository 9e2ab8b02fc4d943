import { type LanguageWords, words } from "./language.ts";

export const japanese: LanguageWords = {
  code: "ja",
  failureOpening: words`エラー|失敗`,
  denial: words`ません(?!か)|できな|できず|見つからな|見つからず|なかった|ありえない|失敗|無効|タイムアウト|時間切れ|拒否され`,
  negatedFault: words`(?:エラー|問題|失敗|警告|異常|不具合)[はもが]?(?:あり|見つかり|発生してい|検出され)?ません(?:でした)?`,
  announcing: words`これから|今から|今すぐ|(?:始め|作成し|書き|確認し|実行し)ます[。!]?$`,
  goOn: words`続けて|続行|進めて|次へ`,
  farewell: words`
    ありがとう(?:ございます|ございました)?|有難う(?:ございます|ございました)?|どういたしまして|さようなら|さよなら|バイバイ|
    (?:良|よ|い)い(?:一日|1日|週末|夜)を(?:お過ごしください|お過ごし下さい)?|お(?:気|身体|体)を?(?:お?大切に|つけて)(?:ください|下さい)?|お大事に(?:なさってください)?|
    お疲れ様(?:でした|です)?|失礼(?:いた|致)?します|ではまた|またね|おやすみなさい`,
  offer: words`(?:また)?何か(?:あれば|ありましたら|ございましたら)\s?(?:いつでも)?(?:お知らせ|お申し付け|ご連絡|お声がけ)?(?:ください|下さい)?`,
  courtesy: words`
    こちらこそ|本当に|とても|どうも|誠に|また|いつでも|どうぞ|それでは|では|お手伝いできて|嬉しいです|うれしいです|よかったです|お役に立てて|何よりです|ご利用|いただき|お問い合わせ|助かりました|ございます|
    です|ます|ました|ね|よ|。|、`,
  tally: words`失敗`,
  and: words`と|および`,
  summary: words`要約`,
  noTools: words`ツール.{0,8}(?:使わ|呼び出さ|使用し)な`,
  historyTitle: words`履歴`,
  taskTitle: words`タスク|目的|指示|依頼|命令|ユーザー`,
  stateTitle: words`ページ|画面|状態|要素|dom(?=サマリ|ツリ)`,
  faultTitle: words`エラー|警告`,
  nowTitle: words`現在|最新|今の`,
  stateLabel: words`(?:現在|最新)の(?:UI)?(?:の)?(?:状態|画面|ページ)`,
  taskLabel: words`目標|目的|タスク|指示`,
  userLabel: words`ユーザー|ユーザ`,
  agentLabel: words`アシスタント|エージェント`,
  memoLabel: words`メモ|メモリ|記憶`,
  noHistory: words`履歴なし|履歴はありません|なし|まだありません`,
  stepLabel: words`ステップ`,
};
