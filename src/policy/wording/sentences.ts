import type { Language } from "./language.ts";
import type { Quotation } from "./quoted.ts";

/** A text as it is written. In a plain string the Worker's bundler would write each letter beyond ASCII as an escape, twice as long. */
const raw = String.raw;

/**
 * Every sentence that a model or a person is shown: what was seen (of the run, since a person may read it), what to do about it, how to
 * finish (`…-now`), how a run was ended. `{…}` are the places below.
 */
export const standardSentences = {
  en: {
    "seen:call": raw`The same call was made {count} times: {calls}.`,
    "seen:foreseen": raw`You were about to do the same again, which would be time number {count}: {calls}.`,
    "seen:failure": raw`{count} attempts have failed, the last of them {calls}.`,
    "seen:cycle": raw`This run goes round in a circle: {count} laps of the same calls, the last of them {calls}.`,
    "seen:known": raw`{count} of the last calls have brought nothing new, the last of them {calls}.`,
    "seen:circles": raw`The last steps go in circles and bring nothing new.`,
    "seen:poll": raw`{count} looks, and nothing has changed: {calls}.`,
    "seen:said": raw`Nothing new has been said for {count} turns.`,
    "seen:budget": raw`The budget of this run ({unit}): {count} of {limit} used.`,
    "seen:retries": raw`The same request came {count} times within {seconds} seconds, though its history had not grown.`,
    "seen:agents": raw`{count} sub-agents were started, more of them at every turn.`,
    "seen:plan": raw`{calls} has not brought the goal nearer (scored {before} before, {after} of 10 now).`,
    "seen:met": raw`The goal is reached: the state was scored {after} of 10.`,
    "seen:given-up": raw`This plan is given up, as it does not lead to the goal ({why}). Tried: {tried}. Undone again: {undone}. Reason: {reason}.`,
    "advice:call": raw`More of the same will bring nothing new. Use what you have for the next step, or take a different approach.`,
    "advice:failure": raw`Trying the same again will fail again. Read the error and change what it names, or reach the goal by another way.`,
    "advice:poll": raw`Wait considerably longer before you look again{wait}, or go on with something that does not depend on it.`,
    "advice:act": raw`Act now on what matters most, or give your final answer with what you have.`,
    "advice:undo": raw`Undo it: for a checkbox, click the same place once more; in a dialog, click "Cancel" or "Close"; for a text, clear the field (Ctrl+A, Delete); for a menu, press Escape, or click elsewhere; for a window, close the window (its X, or Alt+F4); otherwise compare the state now with the one before it, and find the way back.`,
    "advice:next": raw`Do this next: {next}.`,
    came: raw`The tools answered (quoted): {outcome}.`,
    intended: raw`If this is intended, carry on.`,
    "answer-now": raw`Tools are no longer available. Give your final answer now, in the language of the task. Include everything you have found out so far, and say what is missing and why. If the results do not hold the answer, say so.`,
    "call-now": raw`Your only tool is "{doneTool}": none of the others in the history or in examples can be called. Call it now. If the task is not fully finished as it was asked for, say so (success=false where it asks), else success=true. Include everything you have found out so far, in the language of the task, and say what is missing and why. If the results do not hold the answer, say so.`,
    task: raw`The task was: {task}`,
    stopped: raw`This run was stopped because it was going in circles. The task may be unfinished. Send a new instruction to go on.`,
    "stopped:talk": raw`This conversation has come to its end: nothing new was being said. Send a new message to go on.`,
    "stopped:budget": raw`This run was stopped because its budget is used up. It can go on in a new session, or with a larger budget.`,
    "stopped:operator": raw`This run was stopped by an operator. Reason: {reason}`,
  },
  ja: {
    "seen:call": raw`同じ呼び出しを{count}回繰り返しています: {calls}。`,
    "seen:foreseen": raw`同じことをもう一度行おうとしています({count}回目になります): {calls}。`,
    "seen:failure": raw`{count}回の試みが失敗しています。最後の呼び出し: {calls}。`,
    "seen:cycle": raw`同じ呼び出しの循環が{count}周続いています。最後の呼び出し: {calls}。`,
    "seen:known": raw`直近の呼び出しのうち{count}回は新しい結果をもたらしていません。最後の呼び出し: {calls}。`,
    "seen:circles": raw`直近のステップは堂々巡りで、新しい結果は得られていません。`,
    "seen:poll": raw`{count}回確認しましたが変化がありません: {calls}。`,
    "seen:said": raw`{count}回のやり取りにわたって新しいことが述べられていません。`,
    "seen:budget": raw`この実行の予算({unit}): {limit}のうち{count}を使用しました。`,
    "seen:retries": raw`履歴が進まないまま、同じリクエストが{seconds}秒以内に{count}回送られました。`,
    "seen:agents": raw`サブエージェントをすでに{count}個起動しており、その数は毎回増えています。`,
    "seen:plan": raw`{calls}の後、目標に近づいていません(評価は実行前{before}点、現在10点中{after}点)。`,
    "seen:met": raw`目標は達成されています(状態の評価は10点中{after}点)。`,
    "seen:given-up": raw`この計画は目標に至らないため打ち切られました({why})。試したこと: {tried}。元に戻したこと: {undone}。理由: {reason}。`,
    "advice:call": raw`同じことを続けても新しい結果は得られません。得られた結果で次に進むか、別の方法を取ってください。`,
    "advice:failure": raw`同じ方法ではまた失敗します。エラーが示す点を直すか、別の手段で目的を達してください。`,
    "advice:poll": raw`次の確認まで十分に長く待つか{wait}、これに依存しない作業を進めてください。`,
    "advice:act": raw`最も重要なことを今すぐ行うか、得られた結果で最終回答を出してください。`,
    "advice:undo": raw`元に戻してください。チェックボックスなら同じ場所をもう一度クリックし、ダイアログなら「キャンセル」または「閉じる」をクリックし、入力した文字なら入力欄を空にし(Ctrl+A、Delete)、メニューならEscキーを押すかほかの場所をクリックし、ウィンドウなら閉じます(×ボタン、またはAlt+F4)。それ以外は、現在の状態を実行前の状態と比べて戻る方法を見つけます。`,
    "advice:next": raw`次にこれを行ってください: {next}。`,
    came: raw`ツールの応答(引用): {outcome}。`,
    intended: raw`意図したものであれば、そのまま続けてください。`,
    "answer-now": raw`ツールはもう使えません。今すぐ最終回答を日本語で出してください。これまでに分かったことをすべて含め、足りない点とその理由を述べてください。結果の中に答えがなければ、見つからなかったと述べてください。`,
    "call-now": raw`使えるツールは「{doneTool}」だけです。履歴や例に出てくるほかのツールは使えません。今すぐ呼び出してください。依頼どおりに完全に終わっていなければその旨を示し(項目があれば success=false)、終わっていれば success=true としてください。これまでに分かったことを日本語ですべて含め、足りない点とその理由を述べてください。結果の中に答えがなければ、見つからなかったと述べてください。`,
    task: raw`元の依頼: {task}`,
    stopped: raw`同じ操作の繰り返しを検出したため、タスクを終了します。タスクは未完了の可能性があります。新しい指示があれば再開できます。`,
    "stopped:talk": raw`新しい内容がなくなったため、この会話は終了です。新しいメッセージがあれば再開できます。`,
    "stopped:budget": raw`予算を使い切ったため、この実行を終了します。新しいセッションで、または予算を増やせば再開できます。`,
    "stopped:operator": raw`この実行は運用者によって停止されました。理由: {reason}`,
  },
  zh: {
    "seen:call": raw`同一调用已重复{count}次：{calls}。`,
    "seen:foreseen": raw`你正要再做一次同样的事（将是第{count}次）：{calls}。`,
    "seen:failure": raw`已有{count}次尝试失败，最后一次是{calls}。`,
    "seen:cycle": raw`运行在原地打转：相同的调用已循环{count}轮，最后一次是{calls}。`,
    "seen:known": raw`最近的调用中有{count}次没有带来新结果，最后一次是{calls}。`,
    "seen:circles": raw`最近的步骤在原地打转，没有带来新东西。`,
    "seen:poll": raw`已查询{count}次，没有任何变化：{calls}。`,
    "seen:said": raw`已有{count}轮没有说出任何新内容。`,
    "seen:budget": raw`本次运行的预算（{unit}）：上限{limit}，已使用{count}。`,
    "seen:retries": raw`历史没有进展，而同一请求在{seconds}秒内出现了{count}次。`,
    "seen:agents": raw`已启动{count}个子代理，而且每一轮都更多。`,
    "seen:plan": raw`{calls}之后没有更接近目标（之前{before}分，现在{after}分，满分10分）。`,
    "seen:met": raw`目标已达成（状态评分为{after}分，满分10分）。`,
    "seen:given-up": raw`该计划无法达到目标，已放弃（{why}）。已尝试：{tried}。已撤销：{undone}。原因：{reason}。`,
    "advice:call": raw`继续重复不会得到新结果。请用已有结果进入下一步，或换一种方法。`,
    "advice:failure": raw`同样的尝试还会失败。请修正错误所指之处，或用其他途径达到目标。`,
    "advice:poll": raw`请等待更长时间再查询{wait}，或先做不依赖它的事情。`,
    "advice:act": raw`请立即做最重要的事，或用已有结果给出最终回答。`,
    "advice:undo": raw`请撤销：复选框再点击同一位置一次；对话框点击“取消”或“关闭”；文字清空输入框（Ctrl+A、Delete）；菜单按Esc键或点击别处；窗口将其关闭（关闭按钮，或Alt+F4）；其他情况请将现在的状态与之前的状态比较，找到返回的办法。`,
    "advice:next": raw`请接着执行：{next}。`,
    came: raw`工具的返回内容（引用）：{outcome}。`,
    intended: raw`如果这是有意为之，请继续。`,
    "answer-now": raw`工具已不可用。请立即用中文给出最终回答。请包含目前查明的全部内容，并说明缺少什么以及原因；如果结果中没有答案，请说明未找到。`,
    "call-now": raw`现在只能使用“{doneTool}”，历史或示例中出现的其他工具都不可用。请立即调用。若任务未按要求全部完成，请如实说明（如有该项则 success=false），否则 success=true。请用中文写出目前查明的全部内容，并说明缺少什么以及原因；如果结果中没有答案，请说明未找到。`,
    task: raw`原任务：{task}`,
    stopped: raw`检测到循环，本次运行已停止。任务可能尚未完成。给出新的指示即可继续。`,
    "stopped:talk": raw`对话中已没有新的内容，本次对话到此结束。如有新的消息，可以继续。`,
    "stopped:budget": raw`预算已用完，本次运行已停止。可在新会话中继续，或增加预算后继续。`,
    "stopped:operator": raw`此次运行已被运维人员停止。原因：{reason}`,
  },
  es: {
    "seen:call": raw`La misma llamada se ha hecho {count} veces: {calls}.`,
    "seen:foreseen": raw`Ibas a hacer lo mismo otra vez, y sería la vez número {count}: {calls}.`,
    "seen:failure": raw`{count} intentos han fallado, el último {calls}.`,
    "seen:cycle": raw`La ejecución da vueltas en círculo: {count} vueltas de las mismas llamadas, la última {calls}.`,
    "seen:known": raw`{count} de las últimas llamadas no han traído nada nuevo, la última {calls}.`,
    "seen:circles": raw`Los últimos pasos dan vueltas en círculo y no traen nada nuevo.`,
    "seen:poll": raw`{count} comprobaciones y nada ha cambiado: {calls}.`,
    "seen:said": raw`Desde hace {count} turnos no se ha dicho nada nuevo.`,
    "seen:budget": raw`El presupuesto de esta ejecución ({unit}): {count} de {limit} usados.`,
    "seen:retries": raw`La misma petición llegó {count} veces en {seconds} segundos, sin que su historial avanzara.`,
    "seen:agents": raw`Se han iniciado {count} subagentes, más en cada turno.`,
    "seen:plan": raw`{calls} no ha acercado el objetivo (valorado con {before} antes y {after} de 10 ahora).`,
    "seen:met": raw`El objetivo se ha alcanzado: el estado se valoró con {after} de 10.`,
    "seen:given-up": raw`Este plan se abandona, porque no lleva al objetivo ({why}). Probado: {tried}. Deshecho: {undone}. Motivo: {reason}.`,
    "advice:call": raw`Seguir igual no traerá nada nuevo. Usa lo que tienes para el paso siguiente, o prueba otro enfoque.`,
    "advice:failure": raw`El mismo intento volverá a fallar. Lee el error y cambia lo que señala, o llega al objetivo por otro camino.`,
    "advice:poll": raw`Espera bastante más antes de volver a mirar{wait}, o sigue con algo que no dependa de ello.`,
    "advice:act": raw`Haz ahora lo más importante, o da tu respuesta final con lo que tienes.`,
    "advice:undo": raw`Deshazlo: una casilla, con otro clic en el mismo sitio; un diálogo, con «Cancelar» o «Cerrar»; un texto, vaciando el campo (Ctrl+A, Supr); un menú, con Esc o un clic fuera; una ventana, cerrándola (X o Alt+F4); para lo demás, compara el estado actual con el anterior y encuentra el camino de vuelta.`,
    "advice:next": raw`Haz ahora esto: {next}.`,
    came: raw`Las herramientas respondieron (cita): {outcome}.`,
    intended: raw`Si es lo que se pretende, continúa.`,
    "answer-now": raw`Las herramientas ya no están disponibles. Da tu respuesta final ahora, en español. Incluye todo lo que has averiguado hasta ahora, y di qué falta y por qué; si los resultados no contienen la respuesta, di que no se encontró.`,
    "call-now": raw`Ya solo está disponible «{doneTool}»: es tu única herramienta, y ninguna de las otras que ves en el historial o en los ejemplos se puede llamar. Llámala ahora. Si la tarea no está terminada del todo como se pidió, dilo (success=false donde lo pregunte), si no success=true. Incluye en español todo lo que has averiguado hasta ahora, y di qué falta y por qué; si los resultados no contienen la respuesta, di que no se encontró.`,
    task: raw`La tarea era: {task}`,
    stopped: raw`Esta ejecución se detuvo porque daba vueltas en círculo. Puede que la tarea no esté terminada. Con una instrucción nueva puede continuar.`,
    "stopped:talk": raw`Esta conversación ha llegado a su fin: ya no se decía nada nuevo. Con un mensaje nuevo puede continuar.`,
    "stopped:budget": raw`Esta ejecución se detuvo porque su presupuesto se ha agotado. Puede continuar en una sesión nueva o con un presupuesto mayor.`,
    "stopped:operator": raw`Un operador detuvo esta ejecución. Motivo: {reason}`,
  },
  de: {
    "seen:call": raw`Derselbe Aufruf wurde {count}-mal gemacht: {calls}.`,
    "seen:foreseen": raw`Du wolltest gerade dasselbe noch einmal tun, zum {count}. Mal: {calls}.`,
    "seen:failure": raw`{count} Versuche sind fehlgeschlagen, zuletzt {calls}.`,
    "seen:cycle": raw`Der Lauf dreht sich im Kreis: {count} Runden derselben Aufrufe, zuletzt {calls}.`,
    "seen:known": raw`{count} der letzten Aufrufe haben nichts Neues gebracht, zuletzt {calls}.`,
    "seen:circles": raw`Die letzten Schritte drehen sich im Kreis und bringen nichts Neues.`,
    "seen:poll": raw`Es wurde {count}-mal nachgesehen, und nichts hat sich geändert: {calls}.`,
    "seen:said": raw`Seit {count} Runden wurde nichts Neues gesagt.`,
    "seen:budget": raw`Das Budget dieses Laufs ({unit}): {count} von {limit} verbraucht.`,
    "seen:retries": raw`Dieselbe Anfrage kam {count}-mal innerhalb von {seconds} Sekunden, ohne dass ihr Verlauf gewachsen wäre.`,
    "seen:agents": raw`Es wurden {count} Unteragenten gestartet, bei jedem Schritt mehr.`,
    "seen:plan": raw`{calls} hat das Ziel nicht näher gebracht (vorher mit {before}, jetzt mit {after} von 10 bewertet).`,
    "seen:met": raw`Das Ziel ist erreicht: Der Zustand wurde mit {after} von 10 bewertet.`,
    "seen:given-up": raw`Dieser Plan ist aufgegeben, weil er nicht zum Ziel führt ({why}). Versucht: {tried}. Rückgängig gemacht: {undone}. Grund: {reason}.`,
    "advice:call": raw`Mehr vom Gleichen bringt nichts Neues. Nimm, was du hast, für den nächsten Schritt, oder gehe anders vor.`,
    "advice:failure": raw`Derselbe Versuch wird wieder scheitern. Lies den Fehler und ändere, was er nennt, oder erreiche das Ziel auf einem anderen Weg.`,
    "advice:poll": raw`Warte deutlich länger, bevor du wieder nachsiehst{wait}, oder mach mit etwas weiter, das nicht davon abhängt.`,
    "advice:act": raw`Tu jetzt das Wichtigste, oder gib deine endgültige Antwort mit dem, was du hast.`,
    "advice:undo": raw`Mach es rückgängig: ein Kästchen mit noch einem Klick auf dieselbe Stelle, einen Dialog mit „Abbrechen“ oder „Schließen“, einen Text, indem du das Feld leerst (Strg+A, Entf), ein Menü mit Esc oder einem Klick daneben, ein Fenster, indem du es schließt (X oder Alt+F4); sonst vergleiche den Zustand jetzt mit dem davor und finde den Weg zurück.`,
    "advice:next": raw`Tu als Nächstes dies: {next}.`,
    came: raw`Die Werkzeuge antworteten (Zitat): {outcome}.`,
    intended: raw`Wenn das so gewollt ist, mach weiter.`,
    "answer-now": raw`Werkzeuge stehen nicht mehr zur Verfügung. Gib jetzt deine endgültige Antwort, auf Deutsch. Nimm alles auf, was du bisher herausgefunden hast, und sage, was fehlt und warum; steht die Antwort nicht in den Ergebnissen, sage, dass sie nicht gefunden wurde.`,
    "call-now": raw`Nur noch „{doneTool}“ steht zur Verfügung: Es ist dein einziges Werkzeug, und keines der anderen, die du im Verlauf oder in Beispielen siehst, kann aufgerufen werden. Rufe es jetzt auf. Wenn die Aufgabe nicht so vollständig erledigt ist, wie es verlangt war, sage das (success=false, wo es danach fragt), sonst success=true. Nimm auf Deutsch alles auf, was du bisher herausgefunden hast, und sage, was fehlt und warum; steht die Antwort nicht in den Ergebnissen, sage, dass sie nicht gefunden wurde.`,
    task: raw`Die Aufgabe war: {task}`,
    stopped: raw`Dieser Lauf wurde beendet, weil er sich im Kreis drehte. Die Aufgabe ist möglicherweise nicht fertig. Mit einer neuen Anweisung geht es weiter.`,
    "stopped:talk": raw`Dieses Gespräch ist zu Ende, da nichts Neues mehr gesagt wurde. Mit einer neuen Nachricht geht es weiter.`,
    "stopped:budget": raw`Dieser Lauf wurde beendet, weil sein Budget verbraucht ist. In einer neuen Sitzung oder mit einem größeren Budget geht es weiter.`,
    "stopped:operator": raw`Dieser Lauf wurde von einem Betreiber beendet. Grund: {reason}`,
  },
  fr: {
    "seen:call": raw`Le même appel a été fait {count} fois : {calls}.`,
    "seen:foreseen": raw`Tu allais refaire la même chose, pour la {count}e fois : {calls}.`,
    "seen:failure": raw`{count} tentatives ont échoué, la dernière étant {calls}.`,
    "seen:cycle": raw`L'exécution tourne en rond : {count} tours des mêmes appels, le dernier étant {calls}.`,
    "seen:known": raw`{count} des derniers appels n'ont rien apporté de nouveau, le dernier étant {calls}.`,
    "seen:circles": raw`Les dernières étapes tournent en rond et n'apportent rien de nouveau.`,
    "seen:poll": raw`{count} vérifications, et rien n'a changé : {calls}.`,
    "seen:said": raw`Depuis {count} tours, rien de nouveau n'a été dit.`,
    "seen:budget": raw`Le budget de cette exécution ({unit}) : {count} sur {limit} utilisés.`,
    "seen:retries": raw`La même requête est venue {count} fois en {seconds} secondes, sans que son historique ait avancé.`,
    "seen:agents": raw`{count} sous-agents ont été lancés, davantage à chaque tour.`,
    "seen:plan": raw`{calls} n'a pas rapproché le but (évalué à {before} avant, à {after} sur 10 maintenant).`,
    "seen:met": raw`Le but est atteint : l'état a été évalué à {after} sur 10.`,
    "seen:given-up": raw`Ce plan est abandonné, car il ne mène pas au but ({why}). Essayé : {tried}. Annulé : {undone}. Raison : {reason}.`,
    "advice:call": raw`Continuer ainsi n'apportera rien de nouveau. Utilise ce que tu as pour l'étape suivante, ou procède autrement.`,
    "advice:failure": raw`Le même essai échouera encore. Lis l'erreur et change ce qu'elle indique, ou atteins le but par un autre chemin.`,
    "advice:poll": raw`Attends nettement plus longtemps avant de regarder à nouveau{wait}, ou continue avec ce qui n'en dépend pas.`,
    "advice:act": raw`Fais maintenant l'essentiel, ou donne ta réponse finale avec ce que tu as.`,
    "advice:undo": raw`Annule : une case, en cliquant encore une fois au même endroit ; une boîte de dialogue, par « Annuler » ou « Fermer » ; un texte, en vidant le champ (Ctrl+A, Suppr) ; un menu, par Échap ou un clic ailleurs ; une fenêtre, en la fermant (X ou Alt+F4) ; sinon, compare l'état actuel avec le précédent et trouve le chemin du retour.`,
    "advice:next": raw`Fais ensuite ceci : {next}.`,
    came: raw`Les outils ont répondu (citation) : {outcome}.`,
    intended: raw`Si c'est voulu, continue.`,
    "answer-now": raw`Les outils ne sont plus disponibles. Donne ta réponse finale maintenant, en français. Inclus tout ce que tu as trouvé jusqu'ici, et dis ce qui manque et pourquoi ; si les résultats ne contiennent pas la réponse, dis qu'elle n'a pas été trouvée.`,
    "call-now": raw`Seul « {doneTool} » est encore disponible : c'est ton unique outil, et aucun des autres que tu vois dans l'historique ou dans les exemples ne peut être appelé. Appelle-le maintenant. Si la tâche n'est pas entièrement terminée comme demandé, dis-le (success=false là où il le demande), sinon success=true. Inclus en français tout ce que tu as trouvé jusqu'ici, et dis ce qui manque et pourquoi ; si les résultats ne contiennent pas la réponse, dis qu'elle n'a pas été trouvée.`,
    task: raw`La tâche était : {task}`,
    stopped: raw`Cette exécution a été arrêtée parce qu'elle tournait en rond. La tâche n'est peut-être pas terminée. Une nouvelle instruction lui permettra de continuer.`,
    "stopped:talk": raw`Cette conversation est arrivée à sa fin : plus rien de nouveau n'était dit. Un nouveau message lui permettra de continuer.`,
    "stopped:budget": raw`Cette exécution a été arrêtée parce que son budget est épuisé. Elle peut continuer dans une nouvelle session ou avec un budget plus grand.`,
    "stopped:operator": raw`Cette exécution a été arrêtée par un opérateur. Raison : {reason}`,
  },
  pt: {
    "seen:call": raw`A mesma chamada foi feita {count} vezes: {calls}.`,
    "seen:foreseen": raw`Você ia fazer o mesmo outra vez, e seria a vez número {count}: {calls}.`,
    "seen:failure": raw`{count} tentativas falharam, a última {calls}.`,
    "seen:cycle": raw`A execução anda em círculos: {count} voltas das mesmas chamadas, a última {calls}.`,
    "seen:known": raw`{count} das últimas chamadas não trouxeram nada de novo, a última {calls}.`,
    "seen:circles": raw`Os últimos passos andam em círculos e não trazem nada de novo.`,
    "seen:poll": raw`{count} verificações, e nada mudou: {calls}.`,
    "seen:said": raw`Há {count} turnos nada de novo foi dito.`,
    "seen:budget": raw`O orçamento desta execução ({unit}): {count} de {limit} usados.`,
    "seen:retries": raw`O mesmo pedido veio {count} vezes em {seconds} segundos, sem que o histórico avançasse.`,
    "seen:agents": raw`Foram iniciados {count} subagentes, mais a cada turno.`,
    "seen:plan": raw`{calls} não aproximou o objetivo (avaliado em {before} antes e {after} de 10 agora).`,
    "seen:met": raw`O objetivo foi alcançado: o estado foi avaliado em {after} de 10.`,
    "seen:given-up": raw`Este plano foi abandonado, pois não leva ao objetivo ({why}). Tentado: {tried}. Desfeito: {undone}. Motivo: {reason}.`,
    "advice:call": raw`Mais do mesmo não trará nada de novo. Use o que você tem para o próximo passo, ou tente outra abordagem.`,
    "advice:failure": raw`A mesma tentativa falhará de novo. Leia o erro e mude o que ele aponta, ou chegue ao objetivo por outro caminho.`,
    "advice:poll": raw`Espere bem mais antes de verificar de novo{wait}, ou siga com algo que não dependa disso.`,
    "advice:act": raw`Faça agora o mais importante, ou dê a sua resposta final com o que você tem.`,
    "advice:undo": raw`Desfaça: uma caixa de seleção, clicando mais uma vez no mesmo lugar; uma caixa de diálogo, com “Cancelar” ou “Fechar”; um texto, limpando o campo (Ctrl+A, Delete); um menu, com Esc ou um clique fora; uma janela, fechando-a (X ou Alt+F4); senão, compare o estado atual com o anterior e encontre o caminho de volta.`,
    "advice:next": raw`Faça isto agora: {next}.`,
    came: raw`As ferramentas responderam (citação): {outcome}.`,
    intended: raw`Se isso é intencional, continue.`,
    "answer-now": raw`As ferramentas não estão mais disponíveis. Dê a sua resposta final agora, em português. Inclua tudo o que você descobriu até agora, e diga o que falta e por quê; se os resultados não contiverem a resposta, diga que ela não foi encontrada.`,
    "call-now": raw`Só “{doneTool}” ainda está disponível: é a sua única ferramenta, e nenhuma das outras que você vê no histórico ou em exemplos pode ser chamada. Chame-a agora. Se a tarefa não estiver totalmente concluída como foi pedida, diga isso (success=false onde for perguntado), senão success=true. Inclua em português tudo o que você descobriu até agora, e diga o que falta e por quê; se os resultados não contiverem a resposta, diga que ela não foi encontrada.`,
    task: raw`A tarefa era: {task}`,
    stopped: raw`Esta execução foi interrompida porque andava em círculos. A tarefa talvez não esteja concluída. Com uma nova instrução ela pode continuar.`,
    "stopped:talk": raw`Esta conversa chegou ao fim: nada de novo estava sendo dito. Com uma nova mensagem ela pode continuar.`,
    "stopped:budget": raw`Esta execução foi interrompida porque o seu orçamento se esgotou. Ela pode continuar em uma nova sessão ou com um orçamento maior.`,
    "stopped:operator": raw`Esta execução foi interrompida por um operador. Motivo: {reason}`,
  },
  ko: {
    "seen:call": raw`같은 호출을 {count}번 반복했습니다: {calls}.`,
    "seen:foreseen": raw`같은 일을 다시 하려고 했습니다({count}번째가 됩니다): {calls}.`,
    "seen:failure": raw`시도가 {count}번 실패했습니다. 마지막 호출: {calls}.`,
    "seen:cycle": raw`제자리를 맴돌고 있습니다: 같은 호출이 {count}바퀴 이어졌습니다. 마지막 호출: {calls}.`,
    "seen:known": raw`최근 호출 중 {count}번은 새로운 것을 가져오지 않았습니다. 마지막 호출: {calls}.`,
    "seen:circles": raw`최근 단계들은 제자리를 맴돌며 새로운 것을 가져오지 않습니다.`,
    "seen:poll": raw`{count}번 확인했지만 바뀐 것이 없습니다: {calls}.`,
    "seen:said": raw`{count}차례 동안 새로운 말이 없었습니다.`,
    "seen:budget": raw`이 실행의 예산({unit}): {limit} 중 {count} 사용.`,
    "seen:retries": raw`기록이 늘지 않은 채 같은 요청이 {seconds}초 안에 {count}번 왔습니다.`,
    "seen:agents": raw`하위 에이전트를 {count}개 시작했고, 매번 더 늘고 있습니다.`,
    "seen:plan": raw`{calls} 이후 목표에 가까워지지 않았습니다(이전 {before}점, 현재 10점 중 {after}점).`,
    "seen:met": raw`목표에 도달했습니다(상태 평가 10점 중 {after}점).`,
    "seen:given-up": raw`이 계획은 목표로 이어지지 않아 포기되었습니다({why}). 시도한 것: {tried}. 되돌린 것: {undone}. 이유: {reason}.`,
    "advice:call": raw`같은 것을 더 해도 새로운 것은 나오지 않습니다. 얻은 결과로 다음 단계로 가거나, 또는 다른 방법을 쓰십시오.`,
    "advice:failure": raw`같은 시도는 또 실패합니다. 오류를 읽고 거기서 가리키는 것을 고치거나, 또는 다른 길로 목표에 도달하십시오.`,
    "advice:poll": raw`다시 확인하기 전에 훨씬 더 오래 기다리거나{wait}, 또는 이것에 의존하지 않는 일을 계속하십시오.`,
    "advice:act": raw`지금 가장 중요한 것을 하거나, 또는 가진 것으로 최종 답변을 하십시오.`,
    "advice:undo": raw`되돌리십시오: 확인란은 같은 곳을 한 번 더 클릭하고, 대화 상자는 '취소' 또는 '닫기'를 클릭하고, 입력한 글은 입력란을 비우고(Ctrl+A, Delete), 메뉴는 Esc를 누르거나 다른 곳을 클릭하고, 창은 닫습니다(X 또는 Alt+F4). 그 밖에는 지금 상태를 이전 상태와 비교해 돌아갈 길을 찾습니다.`,
    "advice:next": raw`다음으로 이것을 하십시오: {next}.`,
    came: raw`도구의 응답(인용): {outcome}.`,
    intended: raw`의도한 것이라면 계속하십시오.`,
    "answer-now": raw`이제 도구를 쓸 수 없습니다. 지금 한국어로 최종 답변을 하십시오. 지금까지 알아낸 것을 모두 담고, 무엇이 왜 부족한지 말하십시오. 결과에 답이 없으면 찾지 못했다고 말하십시오.`,
    "call-now": raw`이제 쓸 수 있는 도구는 '{doneTool}' 하나뿐이며, 기록이나 예시에 나오는 다른 도구는 호출할 수 없습니다. 지금 호출하십시오. 요청받은 대로 완전히 끝나지 않았다면 그렇게 밝히고(묻는 항목이 있으면 success=false), 끝났다면 success=true로 하십시오. 지금까지 알아낸 것을 한국어로 모두 담고, 무엇이 왜 부족한지 말하십시오. 결과에 답이 없으면 찾지 못했다고 말하십시오.`,
    task: raw`원래 요청: {task}`,
    stopped: raw`같은 일을 되풀이하고 있어 이 실행을 중단했습니다. 작업이 끝나지 않았을 수 있습니다. 새 지시가 있으면 이어갈 수 있습니다.`,
    "stopped:talk": raw`새로운 내용이 없어 이 대화를 마칩니다. 새 메시지가 있으면 이어갈 수 있습니다.`,
    "stopped:budget": raw`예산을 모두 써서 이 실행을 중단했습니다. 새 세션에서, 또는 예산을 늘리면 이어갈 수 있습니다.`,
    "stopped:operator": raw`운영자가 이 실행을 중단했습니다. 이유: {reason}`,
  },
} satisfies Readonly<Record<Language, Readonly<Record<string, string>>>>;

type StandardName = keyof (typeof standardSentences)["en"];

/** A policy may add one, for a repeated action on a numbered element. */
const ADDED = "seen:index";

export type SentenceName = StandardName | typeof ADDED;
export type Sentences = Readonly<Record<StandardName, string>> & Partial<Readonly<Record<SentenceName, string>>>;
export const sentenceNames = [...Object.keys(standardSentences.en), ADDED] as readonly SentenceName[];

export type OwnWords = Partial<Readonly<Record<Language, Partial<Sentences>>>>;

/** Placeholders for any sentence, as `{name}`; empty if there is nothing to fill in. */
export const places = [
  ...(["count", "calls", "tool", "index", "outcome", "task", "doneTool", "limit", "unit"] as const),
  ...(["seconds", "wait", "next", "before", "after", "why", "tried", "undone", "reason"] as const),
] as const;
export type Places = Partial<Readonly<Record<(typeof places)[number], Quotation | number>>>;

/** Fills placeholders in one pass: a `{task}` inside a quotation stays as it is. */
export function filled(sentence: string, values: Places): string {
  const byName: Readonly<Record<string, Quotation | number | undefined>> = values;
  return sentence.replace(PLACE, (_, name: string) => String(byName[name] ?? ""));
}

const PLACE = new RegExp(`\\{(${places.join("|")})\\}`, "g");

/** The product's sentences, or those that the policy has in their place. */
export function sentencesOf(language: Language, { wording }: { readonly wording?: OwnWords }): Sentences {
  // A stored record may name a language of another build.
  const known = Object.hasOwn(standardSentences, language) ? language : "en";
  return { ...standardSentences[known], ...wording?.[known] };
}

/** Sentences that a run ends with before its task is done. */
const ENDING = ["stopped", "stopped:budget", "stopped:operator", "seen:given-up"] as const satisfies SentenceName[];

/** What the guard says at a run's end is a few sentences, at the beginning of what an agent hands on. In characters. */
const LONGEST = 4_000;
const HEAD = 400;

const ESCAPE = /\\u([\da-f]{4})/gi;

/** Whether a result hands on that the guard has ended the run behind it: a delegate's, whatever the words of its policy are. */
export function tellsEnding(text: string, { wording = {} }: { readonly wording?: OwnWords }): boolean {
  if (text.length > LONGEST) return false;
  const head = text.slice(0, HEAD).replace(ESCAPE, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return [...standardEndings, ...endingsOf(wording)].some((ending) => head.includes(ending));
}

/** The first sentence of each is the guard's alone. */
const standardEndings = endingsOf(standardSentences).map((ending) => ending.split(/(?<=[.。])/)[0] ?? ending);

function endingsOf(words: Readonly<Record<string, Partial<Sentences>>>): readonly string[] {
  const sentences = Object.values(words).flatMap((own) => ENDING.map((name) => own[name] ?? ""));
  return sentences.map((sentence) => sentence.replace(/\{.*/s, "").trim()).filter((sentence) => sentence !== "");
}
