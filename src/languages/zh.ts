import type { LanguageWords } from "./language.ts";

export const chinese: LanguageWords = {
  code: "zh",
  failureOpening: "错误|錯誤|失敗|失败",
  failureClause: "无法|未能",
  failureState: "失敗|失败",
  failureField: "错误|錯誤",
  refusalState: "拒绝|已拒绝|不可",
  done: "已经?(保存|更新|创建|删除|添加|发送|写入|提交)|成功|完成",
};
