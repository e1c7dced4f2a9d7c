// This file asks the server, for parts that are tested without one.
import { LanguageClient, WorkDoneProgress, WorkDoneProgressCancelNotification } from 'vscode-languageclient/node';

/** A server that runs. */
export interface Server {
  ask: (method: string, params?: object) => Promise<unknown>;
  /** Calls say with the messages of a run's progress. */
  follow: (token: string, say: (message: string) => void) => { dispose: () => unknown };
  cancel: (token: string) => void;
}

/** The server of a client; undefined while it does not run. */
export function serverOf(client: LanguageClient | undefined): Server | undefined {
  if (client?.isRunning() !== true) return undefined;
  return {
    ask: (method, params) => params === undefined ? client.sendRequest(method) : client.sendRequest(method, params),
    follow: (token, say) => client.onProgress(WorkDoneProgress.type, token, value => {
      if (value.kind === 'report' && value.message !== undefined) say(value.message);
    }),
    cancel: token => { void client.sendNotification(WorkDoneProgressCancelNotification.type, { token }); },
  };
}
