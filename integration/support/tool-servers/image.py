"""image.py FOLDER: makes an image with one empty file, in the layout of OCI, with the tag 1."""
import gzip, hashlib, io, json, os, sys, tarfile
folder = sys.argv[1]
os.makedirs(f"{folder}/blobs/sha256")
def blob(data):
    digest = hashlib.sha256(data).hexdigest()
    with open(f"{folder}/blobs/sha256/{digest}", "wb") as file:
        file.write(data)
    return {"digest": "sha256:" + digest, "size": len(data)}
layer = io.BytesIO()
with tarfile.open(fileobj=layer, mode="w") as tar:
    tar.addfile(tarfile.TarInfo("one"), io.BytesIO())
config = {"architecture": "amd64", "os": "linux", "config": {},
          "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer.getvalue()).hexdigest()]}}
kind = "application/vnd.oci.image."
manifest = {"schemaVersion": 2, "mediaType": kind + "manifest.v1+json",
            "config": {"mediaType": kind + "config.v1+json", **blob(json.dumps(config).encode())},
            "layers": [{"mediaType": kind + "layer.v1.tar+gzip", **blob(gzip.compress(layer.getvalue()))}]}
index = {"schemaVersion": 2, "manifests": [
    {"mediaType": kind + "manifest.v1+json", **blob(json.dumps(manifest).encode()),
     "annotations": {"org.opencontainers.image.ref.name": "1"}}]}
with open(f"{folder}/index.json", "w") as file:
    json.dump(index, file)
with open(f"{folder}/oci-layout", "w") as file:
    json.dump({"imageLayoutVersion": "1.0.0"}, file)
