import type { Sentences } from "./en.ts";

export const spanishSentences: Sentences = {
  and: " y ",

  "seen:call": "Has hecho la misma llamada {count} veces con el mismo resultado: {calls}.",
  "seen:any-call": "Has hecho la misma llamada {count} veces: {calls}.",
  "seen:index": "La acción «{tool}» sobre el índice {index} se ha repetido {count} veces sin éxito: {calls}.",
  "seen:foreseen": "Ibas a hacer lo mismo otra vez, y sería la vez número {count}: {calls}.",
  "seen:failure": "{count} intentos de este tipo han fallado: {calls}.",
  "seen:failures": "Has fallado {count} veces seguidas, la última con {calls}.",
  "seen:cycle":
    "Estás dando vueltas en círculo: {count} vueltas de las mismas llamadas con los mismos resultados, la última {calls}.",
  "seen:answer": "{count} llamadas distintas han traído la misma respuesta, la última {calls}.",
  "seen:poll": "Has mirado {count} veces y nada ha cambiado: {calls}.",
  "seen:message": "Has enviado {count} veces el mismo mensaje, o anunciado algo sin hacerlo.",
  "seen:similar": "Has enviado {count} mensajes similares seguidos.",
  "seen:heard": "Te han dicho casi lo mismo {count} veces seguidas.",
  "seen:exchange": "Ambas partes han vuelto a decir lo mismo durante {count} rondas.",
  "seen:explanation": "Has dado la misma explicación durante {count} turnos seguidos, la última vez para {calls}.",
  "seen:no-call": "Has hablado durante {count} turnos sin llamar a ninguna herramienta.",
  "seen:closure": "Ambas partes no hacen más que despedirse desde hace {count} rondas.",
  "seen:steps": "Esta ejecución ha dado {count} de sus {limit} pasos.",
  "seen:tokens": "Esta ejecución ha usado {count} de sus {limit} tokens.",
  "seen:cost": "Esta ejecución ha gastado {count} de los {limit} que puede costar.",
  "seen:seconds": "Esta ejecución lleva {count} de sus {limit} segundos.",
  "seen:retries": "La misma petición llegó {count} veces en {seconds} segundos, sin que su historial avanzara.",
  "seen:novelty": "{count} de tus últimas llamadas trajeron lo que ya sabías, la última {calls}.",
  "seen:circles": "Tus últimos pasos dan vueltas en círculo y no traen nada nuevo, el último {calls}.",
  "seen:circles-of-talk": "Tus últimos mensajes dan vueltas en círculo: repiten lo ya dicho.",
  "seen:agents": "Has iniciado {count} subagentes, más en cada turno.",
  "seen:compactions": "El historial se ha compactado {count} veces seguidas, y entretanto no se cambió nada.",
  "seen:met": "El objetivo se ha alcanzado: el estado se valoró con {after} de 10.",
  "seen:no-nearer":
    "{calls} no te ha acercado al objetivo (valorado con {before} antes y {after} de 10 ahora), pero desde ahí no se ha probado todo.",
  "seen:exhausted":
    "{calls} no te ha acercado al objetivo (valorado con {before} antes y {after} de 10 ahora), y desde ahí se ha probado todo.",
  "seen:same-state": "El mismo estado ha aparecido {count} veces.",
  "seen:farther": "Te has alejado del objetivo {count} veces seguidas; la última valoración es de {after} de 10.",
  "seen:plan-steps": "Este plan ha usado {count} acciones sin alcanzar el objetivo.",
  "seen:unreachable": "El objetivo no se puede alcanzar desde aquí.",

  "advice:call":
    "Hacerlo otra vez no traerá nada nuevo. Usa el resultado que tienes para el paso siguiente, o prueba otro enfoque.",
  "advice:failure":
    "El mismo intento volverá a fallar. Lee el error y cambia lo que señala, o llega al objetivo por otro camino.",
  "advice:cycle":
    "Otra vuelta acabará como esta. Decide con lo que has visto, o haz algo que todavía no hayas probado.",
  "advice:answer":
    "Es poco probable que otras variantes lo cambien. Acepta la respuesta como es, o busca en otro sitio.",
  "advice:poll-longer":
    "Espera en la propia llamada: da a {argument} un valor mayor, como {value}, o sigue con algo que no dependa de ello.",
  "advice:poll": "Espera bastante más antes de volver a mirar, o sigue con algo que no dependa de ello.",
  "advice:message": "Actúa ahora con una llamada a una herramienta, o da tu respuesta final.",
  "advice:closure": "Termina la conversación ahora, o di qué falta todavía.",
  "advice:steps": "Termina pronto: haz solo lo más importante, o acaba con lo que tienes.",
  "advice:retries": "Pedir lo mismo otra vez no ayudará: espera, cambia lo que pides, o acaba con lo que tienes.",
  "advice:novelty": "Anota lo que sabes y actúa en consecuencia, o mira algo que no hayas visto.",
  "advice:agents": "No inicies más: lee lo que han traído, o haz tú lo que falta.",
  "advice:compactions":
    "Cambia algo ahora con lo que sabes, en pasos pequeños y con salidas cortas, o acaba con lo que tienes.",
  "advice:fallback": "Haz esto en su lugar: {fallback}.",
  "advice:option": "Sigue con ello y prueba ahora esto: {option}.",
  "advice:options": "Sigue con ello y prueba ahí algo que no hayas probado, o decide que no queda nada.",
  "advice:revert": "Después toma otro camino desde ahí.",
  "undo:checkbox": "Deshazlo: haz clic otra vez en el mismo sitio, para que vuelva a su estado.",
  "undo:dialog": "Deshazlo: haz clic en «Cancelar» o «Cerrar» en el diálogo.",
  "undo:text": "Deshazlo: vacía el campo (Ctrl+A, Supr).",
  "undo:menu": "Deshazlo: pulsa Esc o haz clic fuera, para que el menú se cierre.",
  "undo:window": "Deshazlo: cierra la ventana (X o Alt+F4).",
  "undo:other":
    "Deshazlo: no hay una manera fija, así que compara el estado actual con el anterior y encuentra el camino de vuelta.",

  came: "Devolvió (cita): {outcome}.",
  intended: "Si es lo que se pretende, continúa.",
  "answer-now": "Las herramientas ya no están disponibles. Da tu respuesta final ahora.",
  "call-now":
    "Ya solo está disponible «{doneTool}»: es tu única herramienta, y ninguna de las otras que ves en el historial o en los ejemplos se puede llamar. Llámala ahora. Si la tarea no está terminada del todo como se pidió, dilo (success=false donde lo pregunte), si no success=true.",
  terminated: "Por eso terminamos el agente.",
  include: "Incluye todo lo que has averiguado hasta ahora, y di qué falta y por qué.",
  tried: "Probado: {tried}.",
  undone: "Deshecho: {undone}.",
  why: "Por qué no lleva al objetivo: {reason}.",
  success:
    "Comunica que está hecho (success=true donde lo pregunte), con el resultado. Si sabes que falta algo, dilo en su lugar.",
  cancelled: "El plan se abandona: comunica que no está hecho (success=false donde lo pregunte).",
  task: "La tarea era: {task}",
  stopped: "Esta ejecución se detuvo porque daba vueltas en círculo.",
  closed: "Esta conversación ha terminado. ¡Hasta luego!",
  "stopped:talk":
    "Esta conversación ha llegado a su fin: ya no se decía nada nuevo. Con un mensaje nuevo puede continuar.",
  "stopped:budget": "Esta ejecución se detuvo porque su presupuesto se ha agotado.",
  "stopped:plan": "Este plan se canceló porque no lleva al objetivo.",
  "stopped:operator": "Un operador detuvo esta ejecución. Motivo: {reason}",
  "recover:budget":
    "Puede que la tarea no esté terminada. Puede continuar en una sesión nueva o con un presupuesto mayor.",
  recover: "Puede que la tarea no esté terminada. Con una instrucción nueva puede continuar.",
  "nothing-new": "He terminado el procesamiento, pero no tengo ninguna respuesta nueva que dar.",
};
