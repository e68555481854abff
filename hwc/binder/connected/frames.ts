import { NativeFence } from "../../../wsi/fence/native_fence.ts";
import { checkOneOf } from "../../core/calls/checks.ts";
import { COLOR_TRANSFORM } from "../../device_types.ts";
import { ERROR } from "../../types.ts";
import type { BinderConnection } from "./connection.ts";
import type { Methods } from "./methods.ts";

/** A frame's cycle. */
export function frames(connection: BinderConnection): Methods {
  const { queue, frames: answers } = connection;
  return {
    async validateDisplay(display) {
      clearClosed(connection);
      queue.setDisplay("validateDisplay", display, "validateDisplay", true);
      const { changes, requests, target } = await connection.flush("validateDisplay", display);
      answers.validated(display, { changes, requests, target });
      const numTypes = changes.length, numRequests = requests.layerRequests.length;
      return { result: numTypes > 0 ? ERROR.HAS_CHANGES : ERROR.NONE, numTypes, numRequests };
    },
    getChangedCompositionTypes: async (
      display,
    ) => [...(await valid(connection, "getChangedCompositionTypes", display)).changes],
    getDisplayRequests: async (display) => (await valid(connection, "getDisplayRequests", display)).requests,
    getClientTargetProperty: async (display) => (await valid(connection, "getClientTargetProperty", display)).target!,
    acceptDisplayChanges(display) {
      queue.setDisplay("acceptDisplayChanges", display, "acceptDisplayChanges", true);
      answers.accepted(display);
    },
    setColorTransform(display, matrix, hint) {
      checkOneOf("colour transform", hint, COLOR_TRANSFORM);
      queue.setDisplay(
        "setColorTransform",
        display,
        "colorTransformMatrix",
        hint === COLOR_TRANSFORM.IDENTITY ? IDENTITY_MATRIX : [...matrix],
      );
      answers.changed(display);
    },
    setClientTarget(display, target, acquireFence, dataspace, damage) {
      const [buffer, undo] = connection.target("setClientTarget", display, target, acquireFence);
      queue.setDisplay("setClientTarget", display, "clientTarget", { buffer, dataspace, damage }, undo);
      acquireFence?.close();
    },
    setOutputBuffer(display, output, releaseFence) {
      const [buffer, undo] = connection.output("setOutputBuffer", display, output, releaseFence);
      queue.setDisplay("setOutputBuffer", display, "virtualDisplayOutputBuffer", buffer, undo);
    },
    async setDisplayBrightness(display, brightness) {
      queue.setDisplay("setDisplayBrightness", display, "brightness", { brightness, brightnessNits: -1 });
      await connection.flush("setDisplayBrightness");
    },
    setExpectedPresentTime(display, timestamp) {
      queue.setDisplay("setExpectedPresentTime", display, "expectedPresentTime", { timestampNanos: timestamp });
    },
    async presentDisplay(display) {
      clearClosed(connection);
      queue.setDisplay("presentDisplay", display, "presentDisplay", true);
      const { present, releases } = await connection.flush("presentDisplay", display);
      answers.presented(display, releases);
      return present ?? NativeFence.signaled();
    },
    async getReleaseFences(display) {
      if (!answers.hasPresented(display)) await connection.ask("getReleaseFences", (it) => it.getActiveConfig(display));
      return answers.releasesOf(display);
    },
  };
}

const IDENTITY_MATRIX: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The answers of a validation; a display that is not there is the service's to refuse. */
async function valid(connection: BinderConnection, method: string, display: bigint) {
  if (!connection.frames.isValid(display)) await connection.ask(method, (it) => it.getDisplayName(display));
  return connection.frames.of(method, display);
}

/** The service is to give back what the client has closed. Before version 2 it keeps that until another takes its slot. */
function clearClosed(connection: BinderConnection): void {
  if (!connection.service.clearsSlots) return;
  for (const [display, layer, slots] of connection.closedSlots()) {
    connection.queue.setLayer("setLayerBuffer", display, layer, "bufferSlotsToClear", slots);
  }
}
