// Marrow, the memory of a project. Written by `marrow install opencode`; `marrow uninstall opencode` removes it.
// It passes OpenCode's events on to a program that keeps them, and adds what that program knows to the system prompt.
import { spawn } from "node:child_process"

const HOOK = ["marrow", "hook"]
const PATIENCE_MS = 5000

// Runs the hook, and resolves to what it has to say: "" whatever goes wrong, and after a while in any case.
function tell(event, fields) {
  return new Promise((resolve) => {
    let said = ""
    let child
    const finish = () => {
      clearTimeout(timer)
      try {
        resolve(said ? JSON.parse(said).context || "" : "")
      } catch {
        resolve("")
      }
    }
    const timer = setTimeout(() => {
      child?.kill()
      resolve("")
    }, PATIENCE_MS)
    try {
      child = spawn(HOOK[0], [...HOOK.slice(1), "opencode", event], {
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      child.on("error", () => resolve(""))
      child.on("close", finish)
      child.stdout.on("data", (part) => (said += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(fields))
    } catch {
      clearTimeout(timer)
      resolve("")
    }
  })
}

export const Marrow = async ({ directory }) => {
  const started = new Map() // session → a promise of what it is told at its start: nobody waits for an event
  const asked = new Map() // session → what it was told about its last prompt
  const calls = new Map() // call → its arguments, which come before it runs

  const start = (sessionID, source) => {
    const told = tell("session.created", { sessionID, directory, source })
    started.set(sessionID, told)
    return told
  }

  return {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      const sessionID = about.sessionID ?? about.info?.id
      if (!sessionID) return
      if (event.type === "session.created") await start(sessionID, "startup")
      if (event.type === "session.compacted") await start(sessionID, "compact")
      if (event.type === "session.idle") void tell("session.idle", { sessionID, directory })
      if (event.type === "session.deleted") {
        started.delete(sessionID)
        asked.delete(sessionID)
        await tell("session.deleted", { sessionID, directory })
      }
    },
    "chat.message": async (input, output) => {
      const { sessionID, agent, messageID } = input
      await (started.get(sessionID) ?? start(sessionID, "resume"))
      const prompt = (output.parts ?? []).filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      if (prompt) asked.set(sessionID, await tell("chat.message", { sessionID, directory, agent, messageID, prompt }))
    },
    "tool.execute.before": async (input, output) => {
      calls.set(input.callID, output.args)
    },
    "tool.execute.after": async (input, output) => {
      const args = calls.get(input.callID) ?? input.args
      calls.delete(input.callID)
      const { title, output: text, metadata } = output ?? {}
      void tell("tool.execute.after", {
        sessionID: input.sessionID,
        directory,
        tool: input.tool,
        args,
        output: { title, output: text, metadata },
      })
    },
    "experimental.session.compacting": async (input) => {
      void tell("experimental.session.compacting", { sessionID: input.sessionID, directory })
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const known of [await started.get(input.sessionID), asked.get(input.sessionID)]) {
        if (known) output.system.push(known)
      }
    },
  }
}
