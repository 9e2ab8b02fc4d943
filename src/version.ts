/** The version in package.json, which a Worker cannot read. */
export const version = "0.1.0";
