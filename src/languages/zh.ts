import type { LanguageWords } from "./language.ts";

export const chinese: LanguageWords = {
  code: "zh",
  failureOpening: "错误|錯誤|失敗|失败",
  failureClause: "无法|未能",
  failureState: "失敗|失败",
  failureField: "错误|錯誤",
  refusalState: "拒绝|已拒绝|不可",
  done: "已经?(保存|更新|创建|删除|添加|发送|写入|提交)|成功|完成",
  denial:
    "未找到|没有找到|沒有找到|找不到|未能|无法|無法|不存在|不可|不能|失败|无效|無效|超时|逾時|超過時間|被拒绝|被拒絕",
  negatedFault:
    "(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)",
};
