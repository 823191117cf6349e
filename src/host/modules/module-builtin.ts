/** `node:module` of a process: the class that its `require` is made of. */

import type { BuiltinFactory } from '../context.ts'
import { loaderParts } from './bridge.ts'

export const makeModuleBuiltin: BuiltinFactory = (context) => loaderParts.get(context)?.Module
