export declare class BuildError extends Error {}
export declare function ensureBuilt(root: string, base?: string): string
export declare function withJsSpecifiers(code: string): string
