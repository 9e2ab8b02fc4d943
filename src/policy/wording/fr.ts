import type { Sentences } from "./en.ts";

export const frenchSentences: Sentences = {
  and: " et ",

  "seen:call": "Tu as fait {count} fois le même appel avec le même résultat : {calls}.",
  "seen:any-call": "Tu as fait {count} fois le même appel : {calls}.",
  "seen:index": "L'action « {tool} » sur l'index {index} a été répétée {count} fois sans succès : {calls}.",
  "seen:foreseen": "Tu allais refaire la même chose, pour la {count}e fois : {calls}.",
  "seen:failure": "{count} tentatives de ce genre ont échoué : {calls}.",
  "seen:failures": "Tu as échoué {count} fois de suite, la dernière fois avec {calls}.",
  "seen:cycle":
    "Tu tournes en rond : {count} tours des mêmes appels avec les mêmes résultats, le dernier étant {calls}.",
  "seen:answer": "{count} appels différents ont donné la même réponse, le dernier étant {calls}.",
  "seen:poll": "Tu as regardé {count} fois et rien n'a changé : {calls}.",
  "seen:message": "Tu as envoyé {count} fois le même message, ou annoncé quelque chose sans agir.",
  "seen:similar": "Tu as envoyé {count} messages semblables de suite.",
  "seen:heard": "On t'a dit à peu près la même chose {count} fois de suite.",
  "seen:exchange": "Les deux côtés ont redit la même chose pendant {count} tours.",
  "seen:explanation": "Tu as donné la même explication pendant {count} tours de suite, la dernière fois pour {calls}.",
  "seen:no-call": "Tu as parlé pendant {count} tours sans appeler d'outil.",
  "seen:closure": "Les deux côtés ne font que se dire au revoir depuis {count} tours.",
  "seen:steps": "Cette exécution a fait {count} de ses {limit} étapes.",
  "seen:tokens": "Cette exécution a consommé {count} de ses {limit} jetons.",
  "seen:cost": "Cette exécution a consommé {count} sur les {limit} qu'elle peut coûter.",
  "seen:seconds": "Cette exécution dure depuis {count} de ses {limit} secondes.",
  "seen:retries": "La même requête est venue {count} fois en {seconds} secondes, sans que son historique ait avancé.",
  "seen:novelty": "{count} de tes derniers appels ont rapporté ce que tu savais déjà, le dernier étant {calls}.",
  "seen:circles": "Tes dernières étapes tournent en rond et n'apportent rien de nouveau, la dernière étant {calls}.",
  "seen:circles-of-talk": "Tes derniers messages tournent en rond : ils répètent ce qui a été dit.",
  "seen:agents": "Tu as lancé {count} sous-agents, davantage à chaque tour.",
  "seen:compactions": "L'historique a été compacté {count} fois de suite, et rien n'a été modifié entre-temps.",
  "seen:met": "Le but est atteint : l'état a été évalué à {after} sur 10.",
  "seen:no-nearer":
    "{calls} ne t'a pas rapproché du but (évalué à {before} avant, à {after} sur 10 maintenant), mais tout n'a pas été essayé à partir de là.",
  "seen:exhausted":
    "{calls} ne t'a pas rapproché du but (évalué à {before} avant, à {after} sur 10 maintenant), et tout a été essayé à partir de là.",
  "seen:same-state": "Le même état est revenu {count} fois.",
  "seen:farther": "Tu t'es éloigné du but {count} fois de suite ; la dernière évaluation est de {after} sur 10.",
  "seen:plan-steps": "Ce plan a pris {count} actions sans atteindre le but.",
  "seen:unreachable": "Le but ne peut pas être atteint à partir d'ici.",

  "advice:call":
    "Recommencer n'apportera rien de nouveau. Utilise le résultat obtenu pour l'étape suivante, ou procède autrement.",
  "advice:failure":
    "Le même essai échouera encore. Lis l'erreur et change ce qu'elle indique, ou atteins le but par un autre chemin.",
  "advice:cycle":
    "Un tour de plus finira comme celui-ci. Décide avec ce que tu as vu, ou fais quelque chose que tu n'as pas encore essayé.",
  "advice:answer":
    "D'autres variantes n'y changeront sans doute rien. Prends la réponse telle qu'elle est, ou cherche ailleurs.",
  "advice:poll-longer":
    "Attends dans l'appel lui-même : donne à {argument} une valeur plus grande, comme {value}, ou continue avec ce qui n'en dépend pas.",
  "advice:poll":
    "Attends nettement plus longtemps avant de regarder à nouveau, ou continue avec ce qui n'en dépend pas.",
  "advice:message": "Agis maintenant par un appel d'outil, ou donne ta réponse finale.",
  "advice:closure": "Termine la conversation maintenant, ou dis ce qui manque encore.",
  "advice:steps": "Termine bientôt : ne fais que l'essentiel, ou conclus avec ce que tu as.",
  "advice:retries": "Redemander la même chose n'aidera pas : attends, change la demande, ou conclus avec ce que tu as.",
  "advice:novelty": "Note ce que tu sais, puis agis en conséquence, ou regarde ce que tu n'as pas encore vu.",
  "advice:agents": "N'en lance plus : lis ce qu'ils ont rapporté, ou fais toi-même ce qui reste.",
  "advice:compactions":
    "Modifie quelque chose maintenant avec ce que tu sais, par petites étapes et avec des sorties courtes, ou conclus avec ce que tu as.",
  "advice:fallback": "Fais plutôt ceci : {fallback}.",
  "advice:option": "Reste-y et essaie ensuite ceci : {option}.",
  "advice:options": "Reste-y et essaie quelque chose que tu n'y as pas essayé, ou constate qu'il ne reste rien.",
  "advice:revert": "Prends ensuite un autre chemin à partir de là.",
  "undo:checkbox": "Annule : clique encore une fois au même endroit, pour que l'état revienne.",
  "undo:dialog": "Annule : clique sur « Annuler » ou « Fermer » dans la boîte de dialogue.",
  "undo:text": "Annule : vide le champ (Ctrl+A, Suppr).",
  "undo:menu": "Annule : appuie sur Échap ou clique ailleurs, pour que le menu se ferme.",
  "undo:window": "Annule : ferme la fenêtre (X ou Alt+F4).",
  "undo:other":
    "Annule : il n'y a pas de moyen établi, compare donc l'état actuel avec le précédent et trouve le chemin du retour.",

  came: "Il est revenu (citation) : {outcome}.",
  intended: "Si c'est voulu, continue.",
  "answer-now": "Les outils ne sont plus disponibles. Donne ta réponse finale maintenant.",
  "call-now":
    "Seul « {doneTool} » est encore disponible : c'est ton unique outil, et aucun des autres que tu vois dans l'historique ou dans les exemples ne peut être appelé. Appelle-le maintenant. Si la tâche n'est pas entièrement terminée comme demandé, dis-le (success=false là où il le demande), sinon success=true.",
  terminated: "C'est pourquoi nous arrêtons l'agent.",
  include: "Inclus tout ce que tu as trouvé jusqu'ici, et dis ce qui manque et pourquoi.",
  tried: "Essayé : {tried}.",
  undone: "Annulé : {undone}.",
  why: "Pourquoi cela ne mène pas au but : {reason}.",
  success:
    "Annonce que c'est fait (success=true là où il le demande), avec le résultat. Si tu sais qu'il manque quelque chose, dis-le plutôt.",
  cancelled: "Le plan est abandonné : annonce que ce n'est pas fait (success=false là où il le demande).",
  task: "La tâche était : {task}",
  stopped: "Cette exécution a été arrêtée parce qu'elle tournait en rond.",
  closed: "Cette conversation est terminée. Au revoir !",
  "stopped:talk":
    "Cette conversation est arrivée à sa fin : plus rien de nouveau n'était dit. Un nouveau message lui permettra de continuer.",
  "stopped:budget": "Cette exécution a été arrêtée parce que son budget est épuisé.",
  "stopped:plan": "Ce plan a été abandonné parce qu'il ne mène pas au but.",
  "stopped:operator": "Cette exécution a été arrêtée par un opérateur. Raison : {reason}",
  "recover:budget":
    "La tâche n'est peut-être pas terminée. Elle peut continuer dans une nouvelle session ou avec un budget plus grand.",
  recover: "La tâche n'est peut-être pas terminée. Une nouvelle instruction lui permettra de continuer.",
  "nothing-new": "Le traitement est terminé, mais je n'ai pas de nouvelle réponse à donner.",
};
