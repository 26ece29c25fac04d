/** Not imported: an `import` of node:http reads all its members, and with them loads Node's own `fetch`, 50 ms of each start. */
export const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http')
