#!/usr/bin/env node
// Plain JavaScript, so that any Node can read it: it hands over to the Node that the service is pinned to, and keeps the
// compiled code between starts.
import { spawn } from 'node:child_process'
import module from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compile_cache, findNode, isNewEnough } from './runtime.js'

const refused_start = 78

if (isNewEnough) {
  module.enableCompileCache(compile_cache)
  const { run } = await import('./main.ts')
  process.exitCode = await run(process.argv.slice(2))
} else {
  try {
    handOver(findNode())
  } catch (error) {
    refuse(error.message)
  }
}

/** @param {string} node */
function handOver(node) {
  // By the channel the program learns of this process's end, whatever ended it.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) =>
    refuse(`${node} cannot run here (${message}). Install Node 26 or newer from https://nodejs.org.`),
  )
  child.on('exit', (status, signal) => {
    process.exitCode = status ?? 128 + constants.signals[signal]
  })
}

/** @param {string} message */
function refuse(message) {
  console.error(`stint: ${message}`)
  process.exitCode = refused_start
}
