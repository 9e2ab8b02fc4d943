import { type LanguageWords, words } from "./language.ts";

export const japanese: LanguageWords = {
  code: "ja",
  failureOpening: words`エラー|失敗`,
  denial: words`ません(?!か)|でき(?:な|ず)|見つから|なかった|失敗|無効|タイムアウト`,
  negatedFault: words`(?:エラー|問題|失敗)[はもが]?(?:あり|見つかり)?ません(?:でした)?`,
  announcing: words`これから|今から|(?:始め|作成し|書き|確認し|実行し)ます[。!]?$`,
  actLabel: words`コマンド|アクション|操作`,
  goOn: words`続けて|続行|進めて|次へ`,
  farewell: words`
    ありがとう(?:ございます|ございました)?|どういたしまして|さようなら|さよなら|
    [良よい]い(?:一日|週末)を(?:お過ごしください)?|お(?:気|身体)を?(?:お?大切に|つけて)(?:ください)?|お大事に|
    お疲れ様(?:でした|です)?|失礼(?:いた|致)?します|またね|おやすみなさい`,
  offer: words`(?:また)?何か(?:あれば|ありましたら|ございましたら)\s?(?:いつでも)?(?:お知らせ|お申し付け|ご連絡|お声がけ)?(?:ください)?`,
  courtesy: words`こちらこそ|本当に|どうも|また|いつでも|それでは|うれしいです|何よりです|ご利用|いただき|助かりました|ございます|です|ます|ました|ね|よ|。|、`,
  tally: words`失敗`,
  and: words`と|および`,
  through: words`から`,
  all: words`全|すべての`,
  doing: words`
    (?:実行|繰り返|くり返|クリック|テスト(?=し)|呼び出|測定|確認|チェック|送信|リロード|更新(?=し)|再試行|監視|取得)(?!した|\p{L}{0,2}まし)|
    (?:押|試|回|叩|走らせ)[しすっい](?!た|まし)|やって|行って|送って|見て`,
  numbers: words`二|三|四|五|六|七|八|九|十|二十|五十|百`,
  times: words`回(?!目)|遍`,
  endless: words`
    何[度回]も(?!言|申|お願い|伝え|説明)|繰り返し(?!に)|ずっと|延々と|[数何]十回|
    \d{0,3}(?:秒|分|時間)(?:ごと|おき|毎)に?|毎(?:秒|分|時)|\d{0,3}[一十]?(?:秒|分|時間)(?:の)?間|続け(?:て|る)`,
  until: words`(?<!い)[うくぐすつぬぶむる]まで`,
  failing: words`失敗|エラー|落ち`,
  saying: words`書[いけき]|言[っいえ]|出力|繰り返[しせ]`,
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
