import type { Language } from "./wording/wording.ts";

const raw = String.raw;

/** How an action is undone, by its type: the instructions that the preset `local-planning` documents. */
const WAYS: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    checkbox: raw`Undo it: click the same place once more, so that it is toggled back.`,
    dialog: raw`Undo it: click "Cancel" or "Close" in the dialog.`,
    text: raw`Undo it: clear the field (Ctrl+A, Delete).`,
    menu: raw`Undo it: press Escape, or click elsewhere, so that the menu closes.`,
    window: raw`Undo it: close the window (its X, or Alt+F4).`,
    other: raw`Undo it: there is no standard way, so compare the state now with the one before it, and find the way back.`,
  },
  ja: {
    checkbox: raw`元に戻してください: 同じ場所をもう一度クリックして切り替えを戻します。`,
    dialog: raw`元に戻してください: ダイアログの「キャンセル」または「閉じる」をクリックします。`,
    text: raw`元に戻してください: 入力欄を空にします(Ctrl+A、Delete)。`,
    menu: raw`元に戻してください: Escキーを押すか、ほかの場所をクリックしてメニューを閉じます。`,
    window: raw`元に戻してください: ウィンドウを閉じます(×ボタン、またはAlt+F4)。`,
    other: raw`元に戻してください: 決まった方法はないため、現在の状態を実行前の状態と比べ、戻る方法を見つけます。`,
  },
  zh: {
    checkbox: raw`请撤销:再次点击同一位置,使其切换回来。`,
    dialog: raw`请撤销:点击对话框中的“取消”或“关闭”。`,
    text: raw`请撤销:清空输入框(Ctrl+A、Delete)。`,
    menu: raw`请撤销:按Esc键,或点击别处以关闭菜单。`,
    window: raw`请撤销:关闭窗口(关闭按钮,或Alt+F4)。`,
    other: raw`请撤销:没有标准做法,请将现在的状态与之前的状态比较,找到返回的办法。`,
  },
  es: {
    checkbox: raw`Deshazlo: haz clic otra vez en el mismo sitio, para que vuelva a su estado.`,
    dialog: raw`Deshazlo: haz clic en «Cancelar» o «Cerrar» en el diálogo.`,
    text: raw`Deshazlo: vacía el campo (Ctrl+A, Supr).`,
    menu: raw`Deshazlo: pulsa Esc o haz clic fuera, para que el menú se cierre.`,
    window: raw`Deshazlo: cierra la ventana (X o Alt+F4).`,
    other: raw`Deshazlo: no hay una manera fija, así que compara el estado actual con el anterior y encuentra el camino de vuelta.`,
  },
  de: {
    checkbox: raw`Mach es rückgängig: Klicke noch einmal auf dieselbe Stelle, damit sie zurückgesetzt wird.`,
    dialog: raw`Mach es rückgängig: Klicke im Dialog auf „Abbrechen“ oder „Schließen“.`,
    text: raw`Mach es rückgängig: Leere das Feld (Strg+A, Entf).`,
    menu: raw`Mach es rückgängig: Drücke Esc oder klicke daneben, damit sich das Menü schließt.`,
    window: raw`Mach es rückgängig: Schließe das Fenster (X oder Alt+F4).`,
    other: raw`Mach es rückgängig: Es gibt keinen festen Weg, also vergleiche den Zustand jetzt mit dem davor und finde den Weg zurück.`,
  },
  fr: {
    checkbox: raw`Annule : clique encore une fois au même endroit, pour que l'état revienne.`,
    dialog: raw`Annule : clique sur « Annuler » ou « Fermer » dans la boîte de dialogue.`,
    text: raw`Annule : vide le champ (Ctrl+A, Suppr).`,
    menu: raw`Annule : appuie sur Échap ou clique ailleurs, pour que le menu se ferme.`,
    window: raw`Annule : ferme la fenêtre (X ou Alt+F4).`,
    other: raw`Annule : il n'y a pas de moyen établi, compare donc l'état actuel avec le précédent et trouve le chemin du retour.`,
  },
  pt: {
    checkbox: raw`Desfaça: clique mais uma vez no mesmo lugar, para que volte ao estado anterior.`,
    dialog: raw`Desfaça: clique em “Cancelar” ou “Fechar” na caixa de diálogo.`,
    text: raw`Desfaça: limpe o campo (Ctrl+A, Delete).`,
    menu: raw`Desfaça: pressione Esc ou clique fora, para que o menu se feche.`,
    window: raw`Desfaça: feche a janela (X ou Alt+F4).`,
    other: raw`Desfaça: não há uma forma padrão, então compare o estado atual com o anterior e encontre o caminho de volta.`,
  },
  ko: {
    checkbox: raw`되돌리십시오: 같은 곳을 한 번 더 클릭해 원래대로 바꿉니다.`,
    dialog: raw`되돌리십시오: 대화 상자에서 '취소' 또는 '닫기'를 클릭합니다.`,
    text: raw`되돌리십시오: 입력란을 비웁니다(Ctrl+A, Delete).`,
    menu: raw`되돌리십시오: Esc를 누르거나 다른 곳을 클릭해 메뉴를 닫습니다.`,
    window: raw`되돌리십시오: 창을 닫습니다(X 또는 Alt+F4).`,
    other: raw`되돌리십시오: 정해진 방법이 없으므로 지금 상태를 이전 상태와 비교해 돌아갈 길을 찾습니다.`,
  },
};

export function undoing(type: string | undefined, language: Language): string {
  const { [type ?? "other"]: way, other = "" } = WAYS[language];
  return way ?? other;
}
